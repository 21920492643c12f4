/** The files that a gateway without a client has open. */
const filesAtRest = 50

type Report = { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }

/**
 * The most connections of clients at a time: half of the files that the process may open. The others are
 * for the providers and the node, which a gateway whose clients hold all of them cannot reach. Undefined
 * where files are not limited.
 */
export function maxConnections(): number | undefined {
  const report: Report = process.report.getReport()
  const limit = report.userLimits?.open_files?.soft
  if (typeof limit !== 'number') return undefined
  return Math.max(1, Math.floor((limit - filesAtRest) / 2))
}
