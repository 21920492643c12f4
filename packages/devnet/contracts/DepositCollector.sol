// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IDepositCollector} from "./BatchSettlement.sol";

/// The form of EIP-3009 that takes a signature of any length, as USDC 2.2 has it.
interface IReceiveWithAuthorization {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// Collects the deposits of payment channels by EIP-3009. The authorization's nonce contains the
/// channel, so that nobody can bring the payer's money into another one.
contract DepositCollector is IDepositCollector {
    using SafeERC20 for IERC20;

    address public immutable settlement;

    error NotSettlement();

    constructor(address settlement_) {
        settlement = settlement_;
    }

    /// `data` is `abi.encode(uint256 validAfter, uint256 validBefore, uint256 salt, bytes signature)`.
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data)
        external
    {
        if (msg.sender != settlement) revert NotSettlement();
        (uint256 validAfter, uint256 validBefore, uint256 salt, bytes memory signature) =
            abi.decode(data, (uint256, uint256, uint256, bytes));
        bytes32 nonce = keccak256(abi.encode(channelId, salt));
        IReceiveWithAuthorization(token).receiveWithAuthorization(
            payer, address(this), amount, validAfter, validBefore, nonce, signature
        );
        IERC20(token).safeTransfer(settlement, amount);
    }
}
