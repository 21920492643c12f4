import { atomicUsdc, formatUsdc } from '@farebox/money'
import { defaultPaymentPolicy, type PaymentNetwork, paymentNetwork } from '@farebox/payments'
import {
  type Address,
  createPublicClient,
  erc20Abi,
  formatEther,
  http,
  type PublicClient,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { openRunningChain } from '../compose/open-running-chain.ts'
import type { Config } from '../settings.ts'
import { type Finding, finding } from './finding.ts'

/** Checks the node, the token, and the balances of the two accounts. */
export function checkChain(config: Config): Promise<readonly Finding[]> {
  return finding('chain', async () => {
    const access = await openRunningChain(config)
    try {
      const client = createPublicClient({
        transport: http(access.rpcUrl, { retryCount: 0, timeout: 10_000 }),
      })
      const network = paymentNetwork(config.NETWORK)
      const treasury = privateKeyToAddress(access.treasuryKey)
      const relayer = access.relayerKey && privateKeyToAddress(access.relayerKey)
      return [
        await checkChainId(client, network),
        await checkToken(client, network),
        ...(await checkTreasury(client, network, treasury)),
        ...(relayer === undefined ? [facilitatorPays] : [await checkRelayer(client, relayer)]),
      ]
    } finally {
      await access.close()
    }
  })
}

const facilitatorPays: Finding = {
  verdict: 'note',
  subject: 'relayer',
  message: 'not configured: the facilitator sends settlements and refunds',
}

async function checkChainId(client: PublicClient, { chainId }: PaymentNetwork): Promise<Finding> {
  const actual = await client.getChainId()
  const block = await client.getBlockNumber()
  return actual === chainId
    ? { verdict: 'ok', subject: 'chain', message: `chain id ${chainId}, at block ${block}` }
    : {
        verdict: 'wrong',
        subject: 'chain',
        message: `RPC_URL is chain ${actual}, but NETWORK requires chain ${chainId}`,
      }
}

const versionAbi = [
  {
    type: 'function',
    name: 'version',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ type: 'string' }],
  },
] as const

async function checkToken(
  client: PublicClient,
  { usdc, domain }: PaymentNetwork,
): Promise<Finding> {
  const address = usdc
  const [name, version, decimals] = await Promise.all([
    client.readContract({ address, abi: erc20Abi, functionName: 'name' }),
    client.readContract({ address, abi: versionAbi, functionName: 'version' }),
    client.readContract({ address, abi: erc20Abi, functionName: 'decimals' }),
  ])
  const fits = name === domain.name && version === domain.version && decimals === 6
  return {
    verdict: fits ? 'ok' : 'wrong',
    subject: 'token',
    message: `${usdc} is ${name} version ${version} with ${decimals} decimals${fits ? '' : `; expected ${domain.name} version ${domain.version} with 6`}`,
  }
}

async function checkTreasury(
  client: PublicClient,
  { usdc }: PaymentNetwork,
  treasury: Address,
): Promise<readonly Finding[]> {
  const subject = 'treasury'
  const [code, ether, balance] = await Promise.all([
    client.getCode({ address: treasury }),
    client.getBalance({ address: treasury }),
    client.readContract({
      address: usdc,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [treasury],
    }),
  ])
  const findings: Finding[] = [
    {
      verdict: 'ok',
      subject,
      message: `${treasury} holds ${formatUsdc(atomicUsdc(balance))} USDC`,
    },
  ]
  if (code !== undefined && code !== '0x') {
    findings.push({
      verdict: 'wrong',
      subject,
      message:
        'has code (EIP-7702?): the token would reject its signatures, so refunds could not be sent',
    })
  }
  if (ether > 0n) {
    findings.push({
      verdict: 'note',
      subject,
      message: `holds ${formatEther(ether)} ETH, which it does not need`,
    })
  }
  return findings
}

async function checkRelayer(client: PublicClient, relayer: Address): Promise<Finding> {
  const ether = await client.getBalance({ address: relayer })
  const { leastRelayerWei } = defaultPaymentPolicy
  const enough = ether >= leastRelayerWei
  return {
    verdict: enough ? 'ok' : 'wrong',
    subject: 'relayer',
    message: `${relayer} holds ${formatEther(ether)} ETH${enough ? '' : `; it needs at least ${formatEther(leastRelayerWei)} ETH for gas`}`,
  }
}
