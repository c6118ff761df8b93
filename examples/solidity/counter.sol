// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// State that changes from call to call.
contract Counter {
    uint256 private count;
    uint256 private steps;

    function up() external {
        require(count < 10 && steps < 1000);
        count = count + 1; // safe: overflow
        steps = steps + 1; // safe: overflow
    }

    function down() external {
        require(count > 0);
        count = count - 1; // safe: underflow
    }

    function reset() external {
        count = 0;
    }

    function bounded() external view {
        assert(count <= 10); // safe: assertion
    }

    function small() external view {
        assert(count < 3); // unsafe: assertion
    }

    /// The steps up are never fewer than the count.
    function counted() external view {
        assert(steps >= count); // safe: assertion
    }
}
