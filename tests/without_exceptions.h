// gpuopt.hpp compiled with -fno-exceptions, for test_face.cpp, which is compiled with them. What was taken, in order, as
// "STATUS: words"; "" where nothing failed.
#pragma once
#include <string>
#include <vector>

namespace gpuopt_test::without_exceptions {

std::vector<float> product();                   // of [1 2 3; 4 5 6] and [1 0; 0 1; 1 1]
std::vector<std::string> failures();            // of one thing after the other
std::vector<std::string> first_failure_wins();  // two failures, and three times asked
std::string of_another_thread();
bool nothing_is_left_of_a_failure();

}  // namespace gpuopt_test::without_exceptions
