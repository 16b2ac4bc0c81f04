-- The first form of the state file. Migrations are never edited once released: the next change is
-- the next number. Times are microseconds since 1970 (UTC); NULL is "not said" or "not yet".
-- The search columns are copies of what `record` says (the described struct in the codec's form).

-- Everything a user asked for, once for each content; never changes.
CREATE TABLE spec (
  spec_id INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  name TEXT NOT NULL,
  account TEXT NOT NULL,
  qos TEXT NOT NULL,
  content BLOB NOT NULL
);
CREATE INDEX spec_name ON spec (name);

-- Every job ever accepted. A change of state rewrites this one row and, while none of the indexed
-- columns changes, no index. A record of waiting array tasks has array_id and no task.
CREATE TABLE job (
  job_id INTEGER PRIMARY KEY,
  array_id INTEGER,
  task INTEGER,
  uid INTEGER NOT NULL,
  spec_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  partition TEXT NOT NULL,
  submitted_us INTEGER NOT NULL,
  started_us INTEGER,
  ended_us INTEGER,
  record BLOB NOT NULL
);
CREATE INDEX job_array ON job (array_id, task) WHERE array_id IS NOT NULL;
CREATE INDEX job_spec ON job (spec_id);
CREATE INDEX job_ended ON job (ended_us);
CREATE INDEX job_user_ended ON job (uid, ended_us);

-- Jobs the controller keeps in memory; a row goes when MinJobAge is over. A table and not a flag of
-- `job`, so that forgetting a job does not rewrite its row.
CREATE TABLE live_job (job_id INTEGER PRIMARY KEY);

-- Earlier runs of requeued jobs.
CREATE TABLE run (
  job_id INTEGER NOT NULL,
  run INTEGER NOT NULL,
  state TEXT NOT NULL,
  submitted_us INTEGER NOT NULL,
  started_us INTEGER,
  ended_us INTEGER,
  record BLOB NOT NULL,
  PRIMARY KEY (job_id, run)
) WITHOUT ROWID;
CREATE INDEX run_ended ON run (ended_us);

-- Scripts and environments by content: blob_id is the hex SHA-256 of bytes.
CREATE TABLE blob (
  blob_id TEXT NOT NULL PRIMARY KEY,
  bytes BLOB NOT NULL
);

-- Idempotency keys of live jobs.
CREATE TABLE submit_key (
  job_id INTEGER PRIMARY KEY,
  submit_key BLOB NOT NULL
);

-- The order of node_id is the order in which nodes became known; it never changes.
CREATE TABLE node (
  node_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL
);

-- Who did what. Append only.
CREATE TABLE event (
  event_id INTEGER PRIMARY KEY,
  at_us INTEGER NOT NULL,
  kind TEXT NOT NULL,
  job_id INTEGER,
  node TEXT NOT NULL,
  uid INTEGER NOT NULL,
  detail TEXT NOT NULL
);
