// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// A bank with a fee, and an auction: several conditions that hold together.
contract Bank {
    mapping(address => uint256) private accounts;
    uint256 private fees;
    uint256 private constant FEE = 3;

    function deposit() external payable {
        require(msg.value > FEE && msg.value < 1000);
        require(accounts[msg.sender] < 1000000 && fees < 1000000);
        fees = fees + FEE; // safe: overflow
        uint256 before = accounts[msg.sender];
        accounts[msg.sender] = before + msg.value - FEE; // safe: overflow, underflow
        assert(accounts[msg.sender] > before); // safe: assertion
    }

    function feesAreMultiples() external view {
        assert(fees % FEE == 0); // safe: assertion, division
        assert(fees != 9); // unsafe: assertion
    }

    function withdraw(uint256 amount) external {
        accounts[msg.sender] = accounts[msg.sender] - amount; // unsafe: underflow
    }
}

contract Auction {
    address private best;
    uint256 private highest;
    bool private ended;
    uint256 private settled;

    function bid(uint256 amount) external {
        require(!ended && amount > highest);
        highest = amount;
        best = msg.sender;
    }

    function end() external {
        require(!ended && highest > 0);
        ended = true;
        settled = highest;
    }

    function result() external view {
        assert(!ended || settled == highest); // safe: assertion
        assert(!ended || settled > 0); // safe: assertion
        assert(settled == highest); // unsafe: assertion
    }
}
