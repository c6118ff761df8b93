// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// What a base contract leaves open, and what derived ones make of it.
abstract contract Account {
    address internal owner;
    uint256 internal level;

    constructor() {
        owner = msg.sender;
        level = 1;
    }

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function limit() internal view virtual returns (uint256);

    function raise() public virtual {
        require(level < limit());
        level = level + 1; // safe: overflow
    }

    function positive() external view {
        assert(level > 0); // safe: assertion
    }
}

contract Small is Account {
    function limit() internal pure override returns (uint256) {
        return 5;
    }

    function within() external view {
        assert(level <= 5); // safe: assertion
        assert(level < 5); // unsafe: assertion
    }
}

contract Large is Account {
    uint256 private raises;

    function limit() internal pure override returns (uint256) {
        return 100;
    }

    function raise() public override onlyOwner {
        super.raise();
        raises = raises + 1; // safe: overflow
    }

    function counted() external view {
        assert(level == raises + 1); // safe: assertion, overflow
    }

    function drop(address to) external {
        owner = to;
        assert(owner == to); // safe: assertion
        assert(owner != address(0)); // unsafe: assertion
    }
}
