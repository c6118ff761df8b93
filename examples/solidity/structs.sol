// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// Structs, nested and in mappings, and enumerations.
contract Structs {
    enum Phase { Open, Paid, Closed }

    struct Range {
        uint256 low;
        uint256 high;
    }

    struct Order {
        Phase phase;
        Range range;
        bool urgent;
    }

    Range private range;
    mapping(uint256 => Order) private orders;
    Phase private phase;

    function narrow(uint256 low, uint256 high) external {
        require(low <= high && low >= range.low);
        range = Range(low, high);
    }

    function ordered() external view {
        assert(range.low <= range.high); // safe: assertion
        assert(range.low < 100); // unsafe: assertion
    }

    function width() external view returns (uint256) {
        return range.high - range.low; // safe: underflow
    }

    function order(uint256 id, uint256 low) external {
        require(low < 1000);
        orders[id] = Order(Phase.Open, Range(low, low + 1), false); // safe: overflow
        assert(orders[id].range.high == low + 1); // safe: assertion, overflow
        assert(orders[id].urgent); // unsafe: assertion
    }

    function pay() external {
        require(phase == Phase.Open);
        phase = Phase.Paid;
    }

    function close() external {
        require(phase == Phase.Paid);
        phase = Phase.Closed;
    }

    function reopened() external view {
        if (phase == Phase.Closed) {
            assert(phase != Phase.Open); // safe: assertion
        }
        assert(phase != Phase.Closed); // unsafe: assertion
    }
}
