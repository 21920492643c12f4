import type { LedgerStore } from '@farebox/ledger'
import { atomicUsdc, formatUsdc } from '@farebox/money'
import { type ChainReader, signingAddress } from '@farebox/payments/chain'
import type { ChainAccess } from '../../chain/chain-access.ts'
import { readBeginning } from '../../chain/read-beginning.ts'
import { otherTreasury } from '../../chain/refuse-other-treasury.ts'
import { openExistingStore } from '../../compose/open-store.ts'
import type { Config } from '../../settings.ts'
import type { Finding } from '../finding.ts'

/** Checks that the treasury key is that of the ledger: a gateway does not start with another. */
export async function checkLedgerOwner(
  config: Config,
  { treasuryKey }: Pick<ChainAccess, 'treasuryKey'>,
): Promise<readonly Finding[]> {
  return await inLedger(config, async (store) => {
    const { payees } = await readBeginning(store)
    const other = otherTreasury(payees, signingAddress(treasuryKey))
    return other === undefined ? [] : [{ verdict: 'wrong', subject: 'database', ...other }]
  })
}

type Treasury = {
  readonly reader: Pick<ChainReader, 'balanceOf'>
  readonly usdc: `0x${string}`
  readonly treasury: `0x${string}`
}

/** Checks that the treasury covers what the ledger owes: otherwise a gateway sells nothing. */
export async function checkOwed(config: Config, treasury: Treasury): Promise<readonly Finding[]> {
  return await inLedger(config, (store) => shortage(store, treasury))
}

async function inLedger(
  config: Config,
  check: (store: LedgerStore) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  // Another check reports a database that cannot be opened.
  const store = await openExistingStore(config).catch(() => undefined)
  if (store === undefined) return []
  try {
    return await check(store)
  } finally {
    await store.close()
  }
}

/** The debt is read twice, since a running gateway may send a refund in between. */
async function shortage(
  store: Pick<LedgerStore, 'unsentRefunds'>,
  { reader, usdc, treasury }: Treasury,
): Promise<readonly Finding[]> {
  const before = await store.unsentRefunds()
  const held = await reader.balanceOf(usdc, treasury)
  if (held >= before) return []
  const owed = await store.unsentRefunds()
  if (held >= owed) return []
  const [holds, owes, lacks] = [held, owed, owed - held].map((amount) =>
    formatUsdc(atomicUsdc(amount)),
  )
  const message = `holds ${holds} USDC and owes ${owes} in refunds: nothing is sold`
  return [{ verdict: 'wrong', subject: 'treasury', message, fix: `send it at least ${lacks} USDC` }]
}
