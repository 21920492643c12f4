import { signingAddress } from '@farebox/payments/chain'
import type { ChainAccess } from '../chain/chain-access.ts'
import { readBeginning } from '../chain/read-beginning.ts'
import { otherTreasury } from '../chain/refuse-other-treasury.ts'
import { openExistingStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

/** Checks that the treasury key is that of the ledger: a gateway does not start with another. */
export async function checkLedgerOwner(
  config: Config,
  { treasuryKey }: Pick<ChainAccess, 'treasuryKey'>,
): Promise<readonly Finding[]> {
  // Another check reports a database that cannot be opened.
  const store = await openExistingStore(config).catch(() => undefined)
  if (store === undefined) return []
  try {
    const { payees } = await readBeginning(store)
    const other = otherTreasury(payees, signingAddress(treasuryKey))
    return other === undefined ? [] : [{ verdict: 'wrong', subject: 'database', ...other }]
  } finally {
    await store.close()
  }
}
