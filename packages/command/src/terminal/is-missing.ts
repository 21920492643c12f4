/** Whether the error says that a file or folder is not there. Another error is one to report. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code))
}
