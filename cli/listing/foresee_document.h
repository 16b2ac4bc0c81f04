// foresee_document.h: answers of `sluice why` and `sluice plan` as documents and as text. Pure.
#pragma once

#include <string>

#include "cli/listing/context.h"
#include "cli/listing/document.h"
#include "common/wire/messages_foresee.h"

namespace sluice {

// "jobs": one object each; moments are in seconds since 1970, what is not known is null.
void write_why(const WhyReply& reply, Document& document);
// "planned" and "changes".
void write_plan(const PlanReply& reply, Document& document);
// A row for each partition, and below it what would start the job earlier.
std::string plan_text(const PlanReply& reply, const ListingContext& context);

}  // namespace sluice
