// SPDX-License-Identifier: Apache-2.0
#include "harness/run/redact.h"

#include <gtest/gtest.h>

namespace sglexp {
namespace {

TEST(Redact, HidesSecretsAtAnyDepth) {
  const std::string text =
      redact_json(R"--({"api_key":"sk-1","x":{"y":[{"hf_token":"hf_2"}]},"tp_size":4})--");
  EXPECT_EQ(text,
            R"--({"api_key":"(redacted)","tp_size":4,"x":{"y":[{"hf_token":"(redacted)"}]}})--");
}

TEST(Redact, KnowsTheSpellings) {
  for (const char* name : {"api_key", "API_KEY", "apiKey", "api-key", "x-api-key", "admin_api_key",
                           "token", "HF_TOKEN", "access-token", "Authorization", "password",
                           "ssl_keyfile_password", "client_secret", "aws_credentials"}) {
    EXPECT_EQ(redact_json(std::string("{\"") + name + "\":\"s3cr3t\"}").find("s3cr3t"),
              std::string::npos)
        << name;
  }
}

TEST(Redact, CountsOfTokensStay) {
  const std::string text =
      R"({"max_prefill_tokens":16384,"max_total_num_tokens":1,"num_tokens":2,"tokenizer_path":"/m"})";
  EXPECT_EQ(redact_json(text), text);
}

TEST(Redact, ASecretMayBeAnObject) {
  const std::string text = redact_json(R"--({"credentials":{"user":"u","pass":"p"}})--");
  EXPECT_EQ(text, R"--({"credentials":"(redacted)"})--");
}

TEST(Redact, NullSaysThatThereIsNoSecret) {
  EXPECT_EQ(redact_json(R"({"api_key":null})"), R"({"api_key":null})");
}

TEST(Redact, WhatIsNotJsonIsDropped) {
  EXPECT_EQ(redact_json("api_key=sk-1"), "");
  EXPECT_EQ(redact_json(""), "");
  EXPECT_EQ(redact_json(R"({"api_key":"sk-1")"), "");
}

}  // namespace
}  // namespace sglexp
