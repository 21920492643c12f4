/** What a process needs from its surroundings. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot'] as const

/**
 * The environment of the demo's gateway. The provider keys, databases and accounts of the shell are
 * left out, so that the demo can spend nothing real.
 */
export function gatewayEnvironment(
  shell: Readonly<Record<string, string | undefined>>,
  folder: string,
): Readonly<Record<string, string>> {
  const kept = inherited.flatMap((name) => {
    const value = shell[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(kept),
    PORT: '0',
    NETWORK: 'devnet',
    DATA_DIR: folder,
    REFUND_MIN_USDC: '0.000001',
  }
}
