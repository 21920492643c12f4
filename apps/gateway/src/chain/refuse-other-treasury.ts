/**
 * With the key of another treasury, an audit would find every payment missing, and a gateway would
 * send refunds again that the ledger's treasury has sent: the token records nonces by signer.
 *
 * @throws {OtherTreasuryError} `other_treasury` if none of the payees, in lower case, is the treasury.
 */
export function refuseOtherTreasury(payees: ReadonlySet<string>, treasury: string): void {
  const other = otherTreasury(payees, treasury)
  if (other === undefined) return
  const { message, fix } = other
  throw new OtherTreasuryError([message, fix].map(sentence).join(' '))
}

/** What is wrong if none of the payees, in lower case, is the treasury, and how to fix it. */
export function otherTreasury(
  payees: ReadonlySet<string>,
  treasury: string,
): { readonly message: string; readonly fix: string } | undefined {
  const [payee] = payees
  if (payee === undefined || payees.has(treasury.toLowerCase())) return undefined
  return {
    message: `the payments of this ledger were made to ${payee}, and the treasury key is that of ${treasury}`,
    fix: 'set TREASURY_PRIVATE_KEY or TREASURY_ACCOUNT_MODULE to the account of the ledger, or DATA_DIR or DATABASE_URL to the ledger of the account',
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** The key of the treasury is not that of the ledger's payments. */
export class OtherTreasuryError extends Error {
  override readonly name = 'OtherTreasuryError'
  readonly code = 'other_treasury'
}
