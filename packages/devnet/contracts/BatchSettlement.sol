// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// Moves the tokens of a deposit from the payer to the caller.
interface IDepositCollector {
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data)
        external;
}

/// Payment channels of x402's `batch-settlement` scheme. A payer deposits once and signs a voucher
/// for each call: the total that the receiver may have claimed by then. Claiming counts, settling
/// pays out, and what is not claimed can be refunded by the receiver or withdrawn by the payer.
///
/// It has the interface and the rules of the contract at the same address on Base, and none of its
/// code; gas costs differ. Its code is installed at that address as its constructor returns it there.
contract BatchSettlement is EIP712, Multicall, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// A channel is its configuration: the id is the EIP-712 digest of it.
    struct ChannelConfig {
        address payer;
        /// Signs vouchers by ECDSA. Zero: the payer does, by ERC-1271 if it is a contract.
        address payerAuthorizer;
        address receiver;
        /// Signs claims and refunds.
        address receiverAuthorizer;
        address token;
        /// Seconds between the announcement of a withdrawal and its completion.
        uint40 withdrawDelay;
        bytes32 salt;
    }

    struct Voucher {
        ChannelConfig channel;
        uint128 maxClaimableAmount;
    }

    struct VoucherClaim {
        Voucher voucher;
        bytes signature;
        /// The channel's total after this claim, at most the voucher's.
        uint128 totalClaimed;
    }

    struct Channel {
        /// Deposited less refunded and withdrawn; claims and settlements do not lower it.
        uint128 balance;
        uint128 totalClaimed;
    }

    struct Withdrawal {
        uint128 amount;
        uint40 initiatedAt;
    }

    struct Receiver {
        uint128 totalClaimed;
        uint128 totalSettled;
    }

    bytes32 public constant CHANNEL_CONFIG_TYPEHASH = keccak256(
        "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)"
    );
    bytes32 private constant VOUCHER_TYPEHASH =
        keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
    bytes32 private constant REFUND_TYPEHASH =
        keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
    bytes32 private constant CLAIM_ENTRY_TYPEHASH =
        keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");
    bytes32 private constant CLAIM_BATCH_TYPEHASH = keccak256(
        "ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
    );

    uint40 private constant MIN_WITHDRAW_DELAY = 15 minutes;
    uint40 private constant MAX_WITHDRAW_DELAY = 30 days;

    mapping(bytes32 channelId => Channel) public channels;
    mapping(bytes32 channelId => Withdrawal) public pendingWithdrawals;
    mapping(bytes32 channelId => uint256) public refundNonce;
    mapping(address receiver => mapping(address token => Receiver)) public receivers;

    event ChannelCreated(bytes32 indexed channelId, ChannelConfig config);
    event ChannelClosed(bytes32 indexed channelId, ChannelConfig config);
    event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
    event Claimed(
        bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed
    );
    event Settled(
        address indexed receiver, address indexed token, address indexed sender, uint128 amount
    );
    event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
    event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
    event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

    error InvalidChannel();
    error ZeroDeposit();
    error DepositOverflow();
    error InvalidSignature();
    error NotReceiverAuthorizer();
    error NotAuthorizedToClaim();
    error NotAuthorizedToRefund();
    error ClaimExceedsCeiling();
    error ClaimExceedsBalance();
    error WithdrawalAlreadyPending();
    error WithdrawalNotPending();
    error NotAuthorizedToFinalizeWithdraw();
    error WithdrawDelayNotElapsed();
    error NothingToWithdraw();
    error WithdrawAmountExceedsAvailable();
    error WithdrawDelayOutOfRange();
    error EmptyBatch();
    error DepositCollectionFailed();
    error InvalidCollector();
    error InvalidRefundNonce();
    error ZeroRefund();

    constructor() EIP712("x402 Batch Settlement", "1") {}

    // Deposits: anyone may relay them, since the collector needs the payer's signature.

    function deposit(
        ChannelConfig calldata config,
        uint128 amount,
        address collector,
        bytes calldata collectorData
    ) external nonReentrant {
        _checkConfig(config);
        if (amount == 0) revert ZeroDeposit();
        if (collector.code.length == 0) revert InvalidCollector();
        bytes32 channelId = getChannelId(config);
        Channel storage channel = channels[channelId];
        if (amount > type(uint128).max - channel.balance) revert DepositOverflow();

        bool created = channel.balance == 0 && channel.totalClaimed == 0;
        channel.balance += amount;
        _collect(config, amount, channelId, collector, collectorData);
        if (created) emit ChannelCreated(channelId, config);
        emit Deposited(channelId, msg.sender, amount, channel.balance);
    }

    // Claims: each row raises the total of its channel; the batch fails as a whole.

    /// For the receiver or the receiver's authorizer of every row.
    function claim(VoucherClaim[] calldata voucherClaims) external nonReentrant {
        if (voucherClaims.length == 0) revert EmptyBatch();
        for (uint256 i = 0; i < voucherClaims.length; ++i) {
            if (!_isReceiverSide(voucherClaims[i].voucher.channel)) revert NotAuthorizedToClaim();
        }
        _claim(voucherClaims, _channelIds(voucherClaims));
    }

    /// For anyone, with a signature of the authorizer that all rows have in common.
    function claimWithSignature(VoucherClaim[] calldata voucherClaims, bytes calldata authorizerSignature)
        external
        nonReentrant
    {
        if (voucherClaims.length == 0) revert EmptyBatch();
        address authorizer = voucherClaims[0].voucher.channel.receiverAuthorizer;
        for (uint256 i = 1; i < voucherClaims.length; ++i) {
            if (voucherClaims[i].voucher.channel.receiverAuthorizer != authorizer) {
                revert NotReceiverAuthorizer();
            }
        }
        bytes32[] memory channelIds = _channelIds(voucherClaims);
        _checkSigner(authorizer, _claimBatchDigest(voucherClaims, channelIds), authorizerSignature);
        _claim(voucherClaims, channelIds);
    }

    /// Pays the receiver what was claimed and not yet paid, for all its channels; for anyone.
    function settle(address receiver, address token) external nonReentrant {
        Receiver storage account = receivers[receiver][token];
        uint128 amount = account.totalClaimed - account.totalSettled;
        if (amount == 0) return;
        account.totalSettled = account.totalClaimed;
        emit Settled(receiver, token, msg.sender, amount);
        IERC20(token).safeTransfer(receiver, amount);
    }

    // Refunds: at most what is not claimed. Each one uses up a nonce, even when it moves nothing.

    function refund(ChannelConfig calldata config, uint128 amount) external nonReentrant {
        if (!_isReceiverSide(config)) revert NotAuthorizedToRefund();
        _refund(getChannelId(config), config, amount);
    }

    /// For anyone, with a signature of the receiver's authorizer.
    function refundWithSignature(
        ChannelConfig calldata config,
        uint128 amount,
        uint256 nonce,
        bytes calldata receiverAuthorizerSignature
    ) external nonReentrant {
        bytes32 channelId = getChannelId(config);
        if (nonce != refundNonce[channelId]) revert InvalidRefundNonce();
        _checkSigner(
            config.receiverAuthorizer,
            getRefundDigest(channelId, nonce, amount),
            receiverAuthorizerSignature
        );
        _refund(channelId, config, amount);
    }

    // Withdrawals: the payer's way out without the receiver, after the channel's delay.

    function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external nonReentrant {
        if (!_isPayerSide(config)) revert InvalidChannel();
        bytes32 channelId = getChannelId(config);
        if (pendingWithdrawals[channelId].initiatedAt != 0) revert WithdrawalAlreadyPending();
        if (amount == 0) revert NothingToWithdraw();
        if (amount > _unclaimed(channels[channelId])) revert WithdrawAmountExceedsAvailable();
        uint40 now_ = uint40(block.timestamp);
        pendingWithdrawals[channelId] = Withdrawal({amount: amount, initiatedAt: now_});
        emit WithdrawInitiated(channelId, amount, now_ + config.withdrawDelay);
    }

    /// Pays out the announced amount, or what claims have left of it.
    function finalizeWithdraw(ChannelConfig calldata config) external nonReentrant {
        if (!_isPayerSide(config)) revert NotAuthorizedToFinalizeWithdraw();
        bytes32 channelId = getChannelId(config);
        Withdrawal memory pending = pendingWithdrawals[channelId];
        if (pending.initiatedAt == 0) revert WithdrawalNotPending();
        if (block.timestamp < pending.initiatedAt + config.withdrawDelay) revert WithdrawDelayNotElapsed();
        delete pendingWithdrawals[channelId];
        uint128 amount = _takeUnclaimed(channelId, pending.amount);
        emit WithdrawFinalized(channelId, msg.sender, amount);
        _pay(channelId, config, amount);
    }

    // What has to be signed.

    function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(CHANNEL_CONFIG_TYPEHASH, config)));
    }

    function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(VOUCHER_TYPEHASH, channelId, maxClaimableAmount)));
    }

    function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount)
        public
        view
        returns (bytes32)
    {
        return _hashTypedDataV4(keccak256(abi.encode(REFUND_TYPEHASH, channelId, nonce, amount)));
    }

    function getClaimBatchDigest(VoucherClaim[] calldata voucherClaims) external view returns (bytes32) {
        return _claimBatchDigest(voucherClaims, _channelIds(voucherClaims));
    }

    function _checkConfig(ChannelConfig calldata config) private pure {
        if (
            config.payer == address(0) || config.receiver == address(0)
                || config.receiverAuthorizer == address(0) || config.token == address(0)
        ) revert InvalidChannel();
        if (config.withdrawDelay < MIN_WITHDRAW_DELAY || config.withdrawDelay > MAX_WITHDRAW_DELAY) {
            revert WithdrawDelayOutOfRange();
        }
    }

    // The collector is the caller's choice, so only the balance says whether it did its work.
    function _collect(
        ChannelConfig calldata config,
        uint128 amount,
        bytes32 channelId,
        address collector,
        bytes calldata data
    ) private {
        IERC20 token = IERC20(config.token);
        uint256 before = token.balanceOf(address(this));
        IDepositCollector(collector).collect(config.payer, config.token, amount, channelId, data);
        if (token.balanceOf(address(this)) != before + amount) revert DepositCollectionFailed();
    }

    function _claim(VoucherClaim[] calldata voucherClaims, bytes32[] memory channelIds) private {
        for (uint256 i = 0; i < voucherClaims.length; ++i) {
            _claimRow(voucherClaims[i], channelIds[i]);
        }
    }

    function _claimRow(VoucherClaim calldata row, bytes32 channelId) private {
        Channel storage channel = channels[channelId];
        // Already claimed, by this row or a later voucher: skipped, so that a batch can be sent again.
        if (row.totalClaimed <= channel.totalClaimed) return;
        if (row.totalClaimed > row.voucher.maxClaimableAmount) revert ClaimExceedsCeiling();
        if (row.totalClaimed > channel.balance) revert ClaimExceedsBalance();
        _checkVoucher(row, channelId);

        ChannelConfig calldata config = row.voucher.channel;
        uint128 amount = row.totalClaimed - channel.totalClaimed;
        channel.totalClaimed = row.totalClaimed;
        receivers[config.receiver][config.token].totalClaimed += amount;
        emit Claimed(channelId, msg.sender, amount, row.totalClaimed);
    }

    function _checkVoucher(VoucherClaim calldata row, bytes32 channelId) private view {
        ChannelConfig calldata config = row.voucher.channel;
        bytes32 digest = getVoucherDigest(channelId, row.voucher.maxClaimableAmount);
        if (config.payerAuthorizer == address(0)) {
            _checkSigner(config.payer, digest, row.signature);
        } else if (ECDSA.recoverCalldata(digest, row.signature) != config.payerAuthorizer) {
            revert InvalidSignature();
        }
    }

    function _checkSigner(address signer, bytes32 digest, bytes calldata signature) private view {
        if (!SignatureChecker.isValidSignatureNowCalldata(signer, digest, signature)) {
            revert InvalidSignature();
        }
    }

    function _refund(bytes32 channelId, ChannelConfig calldata config, uint128 amount) private {
        if (amount == 0) revert ZeroRefund();
        ++refundNonce[channelId];
        uint128 refunded = _takeUnclaimed(channelId, amount);
        if (refunded == 0) return;
        _lowerWithdrawal(channelId, refunded);
        emit Refunded(channelId, msg.sender, refunded);
        _pay(channelId, config, refunded);
    }

    function _lowerWithdrawal(bytes32 channelId, uint128 refunded) private {
        Withdrawal storage pending = pendingWithdrawals[channelId];
        if (pending.initiatedAt == 0) return;
        if (refunded < pending.amount) pending.amount -= refunded;
        else delete pendingWithdrawals[channelId];
    }

    function _takeUnclaimed(bytes32 channelId, uint128 wanted) private returns (uint128 taken) {
        Channel storage channel = channels[channelId];
        taken = uint128(Math.min(wanted, _unclaimed(channel)));
        channel.balance -= taken;
    }

    function _pay(bytes32 channelId, ChannelConfig calldata config, uint128 amount) private {
        if (amount == 0) return;
        if (channels[channelId].balance == 0) emit ChannelClosed(channelId, config);
        IERC20(config.token).safeTransfer(config.payer, amount);
    }

    function _claimBatchDigest(VoucherClaim[] calldata voucherClaims, bytes32[] memory channelIds)
        private
        view
        returns (bytes32)
    {
        bytes32[] memory entries = new bytes32[](voucherClaims.length);
        for (uint256 i = 0; i < voucherClaims.length; ++i) {
            VoucherClaim calldata row = voucherClaims[i];
            entries[i] = keccak256(
                abi.encode(
                    CLAIM_ENTRY_TYPEHASH, channelIds[i], row.voucher.maxClaimableAmount, row.totalClaimed
                )
            );
        }
        bytes32 claimsHash = keccak256(abi.encodePacked(entries));
        return _hashTypedDataV4(keccak256(abi.encode(CLAIM_BATCH_TYPEHASH, claimsHash)));
    }

    function _channelIds(VoucherClaim[] calldata voucherClaims) private view returns (bytes32[] memory ids) {
        ids = new bytes32[](voucherClaims.length);
        for (uint256 i = 0; i < voucherClaims.length; ++i) {
            ids[i] = getChannelId(voucherClaims[i].voucher.channel);
        }
    }

    function _unclaimed(Channel storage channel) private view returns (uint128) {
        return channel.balance - channel.totalClaimed;
    }

    function _isReceiverSide(ChannelConfig calldata config) private view returns (bool) {
        return msg.sender == config.receiver || msg.sender == config.receiverAuthorizer;
    }

    function _isPayerSide(ChannelConfig calldata config) private view returns (bool) {
        return msg.sender == config.payer || msg.sender == config.payerAuthorizer;
    }
}
