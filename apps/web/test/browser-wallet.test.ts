import { expect, test } from 'vitest'
import { connectWallet } from '../src/pay/browser-wallet.ts'

const data = {
  domain: { chainId: 84_532n },
  types: {},
  primaryType: 'TransferWithAuthorization',
  message: {},
}

/** A wallet of one chain, which refuses to switch with a code. */
function walletOn(chainId: string, code: number) {
  return {
    request: ({ method }: { readonly method: string }) => {
      const results: Readonly<Record<string, unknown>> = {
        eth_requestAccounts: ['0x000000000000000000000000000000000000dEaD'],
        eth_chainId: chainId,
        eth_signTypedData_v4: '0x5167',
      }
      const result = results[method]
      return result === undefined
        ? Promise.reject(Object.assign(new Error(`no ${method}`), { code }))
        : Promise.resolve(result)
    },
  }
}

test.each([4200, -32_601])(
  'a wallet that cannot switch chains (%i) signs on the chain of the payment',
  async (code) => {
    const signer = await connectWallet(walletOn('0x14a34', code))
    expect(await signer.signTypedData(data)).toBe('0x5167')
  },
)

test('a wallet that cannot switch chains signs nothing on another chain', async () => {
  const signer = await connectWallet(walletOn('0x1', -32_601))
  await expect(signer.signTypedData(data)).rejects.toMatchObject({ code: -32_601 })
})
