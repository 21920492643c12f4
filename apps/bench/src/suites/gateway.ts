import { startContenders } from '../gateway/contenders.ts'
import { measurePeers, type RunSize } from '../gateway/measure-peers.ts'
import { peerReport } from '../gateway/peer-report.ts'
import { openStage } from '../gateway/stage.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

const full: RunSize = { rounds: 4, requests: 1_000, atOnce: 50 }
const quick: RunSize = { rounds: 1, requests: 100, atOnce: 50 }

/** A whole paid request, compared with peers that settle, that do not, and that do not sell. */
export const gateway: Suite = {
  name: 'gateway',
  question: 'a request to the gateway and to its peers, an instant provider behind each',
  run: async ({ isQuick }) => {
    const size = isQuick ? quick : full
    const stage = await openStage()
    try {
      const figures = await measurePeers(stage, await startContenders(stage), size)
      const report = peerReport(figures, size)
      printTable(report.header, report.rows)
      return report
    } finally {
      await stage.close()
    }
  },
}
