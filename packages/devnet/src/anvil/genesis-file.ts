import { fileURLToPath } from 'node:url'

/** The initial state of a new devnet: only the contracts. */
export const genesisFile: string = fileURLToPath(
  new URL(
    // The build puts all modules into one folder; the sources are one folder deeper.
    import.meta.url.endsWith('.ts') ? '../../assets/genesis.json' : '../assets/genesis.json',
    import.meta.url,
  ),
)
