/** Whether the error means that a file or folder does not exist. Any other error is to be reported. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code))
}
