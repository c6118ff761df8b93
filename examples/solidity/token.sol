// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// Mappings: balances that move from one owner to another.
contract Token {
    mapping(address => uint256) private balances;
    mapping(address => mapping(address => uint256)) private allowed;
    uint256 private total;

    function mint(address to, uint256 amount) external {
        require(amount <= 2 ** 255);
        require(balances[to] <= 1000000);
        total = total + amount; // unsafe: overflow
        balances[to] = balances[to] + amount; // safe: overflow
    }

    function transfer(address to, uint256 amount) external {
        require(to != msg.sender);
        require(balances[msg.sender] >= amount && balances[msg.sender] <= 2 ** 255);
        require(balances[to] <= 1000000 && amount <= 1000000);
        uint256 before = balances[msg.sender] + balances[to]; // safe: overflow
        balances[msg.sender] = balances[msg.sender] - amount; // safe: underflow
        balances[to] = balances[to] + amount; // safe: overflow
        assert(balances[msg.sender] + balances[to] == before); // safe: assertion, overflow
    }

    function approve(address spender, uint256 amount) external {
        allowed[msg.sender][spender] = amount;
        assert(allowed[msg.sender][spender] == amount); // safe: assertion
    }

    function spend(address owner, uint256 amount) external {
        uint256 left = allowed[owner][msg.sender];
        allowed[owner][msg.sender] = left - amount; // unsafe: underflow
        assert(allowed[owner][msg.sender] <= left); // safe: assertion
    }

    function rich(address owner) external view {
        assert(balances[owner] < 500); // unsafe: assertion
    }
}
