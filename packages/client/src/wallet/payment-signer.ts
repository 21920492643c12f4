/** Typed data of EIP-712. */
export type TypedData = {
  domain: Record<string, unknown>
  types: Record<string, unknown>
  primaryType: string
  message: Record<string, unknown>
}

/** Signs typed data. A local account of viem is one. */
export type PaymentSigner = {
  readonly address: `0x${string}`
  signTypedData(message: TypedData): Promise<`0x${string}`>
}
