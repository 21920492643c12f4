import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  type PublicClient,
  type Transport,
  type WalletClient,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { verifyTypedData } from 'viem/actions'
import { baseSepolia } from 'viem/chains'

export type DevnetFacilitatorOptions = {
  readonly rpcUrl: string
  /** Pays the gas. */
  readonly relayerKey: Hex
  /** Factories that may deploy wallets that do not exist yet (ERC-6492). */
  readonly allowedFactories?: readonly Address[]
}

/**
 * The real facilitator of @x402/core and @x402/evm, settling v1 and v2 payments on the devnet. For
 * payment channels it relays deposits, claims, settlements and refunds, which the seller has signed.
 */
export function createDevnetFacilitator(options: DevnetFacilitatorOptions): x402Facilitator {
  const { reader, writer } = connect(options)
  const inTurn = createQueue()
  const signer = toFacilitatorEvmSigner(
    {
      address: writer.account.address,
      getCode: (args) => reader.getCode(args),
      readContract: (args) => reader.readContract({ ...args, args: args.args ?? [] }),
      verifyTypedData: (args) =>
        verifyTypedData<Record<string, unknown>, string, typeof baseSepolia>(reader, args),
      writeContract: (args) => inTurn(() => writer.writeContract(args)),
      sendTransaction: (args) => inTurn(() => writer.sendTransaction(args)),
      waitForTransactionReceipt: (args) => reader.waitForTransactionReceipt(args),
    },
    { confirmationTimeoutMs: 5_000 },
  )
  const network = 'eip155:84532'
  const eip6492AllowedFactories = [...(options.allowedFactories ?? [])]
  const channels = new BatchSettlementEvmScheme(signer, undefined, { eip6492AllowedFactories })
  return registerExactEvmScheme(new x402Facilitator(), {
    signer,
    networks: network,
    simulateInSettle: true,
    eip6492AllowedFactories,
  }).register(network, channels)
}

type Connection = {
  readonly reader: PublicClient<Transport, typeof baseSepolia>
  readonly writer: WalletClient<Transport, typeof baseSepolia, PrivateKeyAccount>
}

function connect({ rpcUrl, relayerKey }: DevnetFacilitatorOptions): Connection {
  const shared = {
    chain: baseSepolia,
    transport: http(rpcUrl, { retryCount: 0 }),
    pollingInterval: 20,
    cacheTime: 0,
  }
  return {
    reader: createPublicClient(shared),
    writer: createWalletClient({ ...shared, account: privateKeyToAccount(relayerKey) }),
  }
}

// Sending one at a time gives the transactions of an account consecutive nonces.
function createQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return function inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return result
  }
}
