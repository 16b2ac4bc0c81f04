// submission.h: a submit request as it goes to the controller, made of what the user asked and of
// what the command finds on its machine (folder, umask, environment, host).
#pragma once

#include <string>
#include <vector>

#include "cli/script_source.h"
#include "common/base/result.h"
#include "common/options/submit_request.h"
#include "common/wire/messages.h"

namespace sluice {

struct Submission {
  SubmitJob message;
  std::vector<std::string> notes;  // to be printed; the job is as good without
};

// Errors: environment_too_large, access_denied (--uid by a user), unknown_user, io_error.
Result<Submission> make_submission(const SubmitRequest& request, ScriptSource script);

// The variables of this process.
Environment environment_of_process();

}  // namespace sluice
