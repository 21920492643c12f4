/**
 * With the key of another treasury, an audit would find every payment missing, and a gateway would
 * send refunds again that the ledger's treasury has sent: the token knows nonces by their signer.
 *
 * @throws {OtherTreasuryError} `other_treasury` if none of the payees, in lower case, is the treasury.
 */
export function refuseOtherTreasury(payees: ReadonlySet<string>, treasury: string): void {
  const [payee] = payees
  if (payee === undefined || payees.has(treasury.toLowerCase())) return
  throw new OtherTreasuryError(
    `The payments of this ledger were made to ${payee}, and the treasury key is that of ${treasury}. Set TREASURY_PRIVATE_KEY or TREASURY_ACCOUNT_MODULE to the account of the ledger, or DATA_DIR or DATABASE_URL to the ledger of the account.`,
  )
}

/** The key of the treasury is not that of the ledger's payments. */
export class OtherTreasuryError extends Error {
  override readonly name = 'OtherTreasuryError'
  readonly code = 'other_treasury'
}
