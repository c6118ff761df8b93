// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

interface Unknown {
    function run() external;
}

/// Calls to unknown code, which may call back.
contract Reentrancy {
    uint256 private x;
    uint256 private y;
    bool private locked;
    uint256 private guarded;

    modifier lock() {
        require(!locked);
        locked = true;
        _;
        locked = false;
    }

    function set(uint256 value) external {
        x = value;
    }

    function grow() external {
        require(y < 1000);
        y = y + 1; // safe: overflow
    }

    function setGuarded(uint256 value) external lock {
        guarded = value;
    }

    function callOut(Unknown u) external {
        uint256 before = x;
        uint256 least = y;
        u.run();
        assert(y >= least); // safe: assertion
        assert(x == before); // unsafe: assertion
    }

    function callOutLocked(Unknown u) external lock {
        uint256 before = guarded;
        u.run();
        assert(guarded == before); // safe: assertion
        assert(locked); // safe: assertion
    }
}
