-- Accounts, users, associations and QOS, and reservations. All of them are in memory while the
-- controller runs, so the search columns are for people and tools. What was deleted keeps its row
-- (`record` says so), because past jobs name it; reservations go.

CREATE TABLE account (
  name TEXT PRIMARY KEY,
  record BLOB NOT NULL
);

CREATE TABLE account_user (
  name TEXT PRIMARY KEY,
  default_account TEXT NOT NULL,
  record BLOB NOT NULL
);

-- An account below another (user = ''), or a user in an account (perhaps in one partition alone).
CREATE TABLE association (
  association_id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  user TEXT NOT NULL,
  partition TEXT NOT NULL,
  record BLOB NOT NULL
);

CREATE TABLE qos (
  qos_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  record BLOB NOT NULL
);

CREATE TABLE reservation (
  name TEXT PRIMARY KEY,
  record BLOB NOT NULL
);
