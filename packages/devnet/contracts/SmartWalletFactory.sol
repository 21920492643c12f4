// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SmartWallet} from "./SmartWallet.sol";

/// Deploys smart wallets at addresses that are known before they exist (CREATE2), as ERC-6492
/// signatures need.
contract SmartWalletFactory {
    function create(address owner, bytes32 salt) external returns (address wallet) {
        wallet = addressOf(owner, salt);
        if (wallet.code.length == 0) new SmartWallet{salt: salt}(owner);
    }

    function addressOf(address owner, bytes32 salt) public view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(SmartWallet).creationCode, abi.encode(owner)));
        return address(
            uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, codeHash))))
        );
    }
}
