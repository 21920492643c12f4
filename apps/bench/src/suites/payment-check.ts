import { parseAtomicUsdc } from '@farebox/money'
import {
  createPaymentCheck,
  paymentNetwork,
  type SignedPayment,
  signatureBackend,
} from '@farebox/payments'
import { verifyTypedData } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { measure } from '../measure.ts'
import type { Suite } from '../suite.ts'
import { printMeasurements } from '../table.ts'

const network = paymentNetwork('base')
const amount = parseAtomicUsdc('12000')
const payTo = '0x00000000000000000000000000000000000f00d5'
const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** What it costs to judge one signed payment before anything is sent. */
export const paymentCheck: Suite = {
  name: 'payment-check',
  question: `CPU of judging one EIP-3009 payment (recovery: ${signatureBackend()})`,
  run: async () => {
    const now = Math.floor(Date.now() / 1000)
    const { payment, message, typed } = await sign(now)
    const check = createPaymentCheck({
      network,
      payTo,
      ownAccounts: [],
      chain: { hasCode: refuse, acceptsSignature: refuse },
    })
    const verdict = await check({ payment, amount, now })
    if (verdict.status !== 'valid') throw new Error(`The payment was refused: ${verdict.reason}`)

    const results = await measure(
      [
        { name: 'farebox, fields and signature', run: () => check({ payment, amount, now }) },
        {
          name: 'viem verifyTypedData, signature alone',
          run: () =>
            verifyTypedData({
              ...typed,
              message,
              signature: payment.signature,
              address: message.from,
            }),
        },
      ],
      { rounds: 15, calls: 200 },
    )
    printMeasurements(results)
  },
}

function refuse(): never {
  throw new Error('A key signed: the chain is not asked')
}

async function sign(now: number) {
  const account = privateKeyToAccount(generatePrivateKey())
  const message = {
    from: account.address,
    to: payTo,
    value: amount,
    validAfter: BigInt(now - 60),
    validBefore: BigInt(now + 600),
    nonce: generatePrivateKey(),
  } as const
  const typed = {
    domain: { ...network.domain, chainId: network.chainId, verifyingContract: network.usdc },
    types,
    primaryType: 'TransferWithAuthorization',
  } as const
  const signature = await account.signTypedData({ ...typed, message })
  const payment: SignedPayment = {
    protocol: 2,
    network: network.caip2,
    authorization: {
      chainId: network.chainId,
      asset: network.usdc,
      from: `0x${account.address.slice(2).toLowerCase()}`,
      to: payTo,
      value: amount,
      nonce: message.nonce,
      validAfter: now - 60,
      validBefore: now + 600,
    },
    signature,
    payload: {},
    requirements: {},
    clientPaymentId: null,
  }
  return { payment, message, typed }
}
