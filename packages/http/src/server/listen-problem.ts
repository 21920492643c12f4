/** Where a server was to listen, as its settings name it. */
export type ListenSettings = { readonly HOST: string; readonly PORT: number }

/** What an operator can do about a server that could not listen; `undefined` for any other error. */
export function listenProblem(error: unknown, { HOST, PORT }: ListenSettings): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall, hostname, port = PORT }: ListenError = error
  // A host whose name is not known does not get as far as `listen`.
  if (syscall === 'getaddrinfo' && hostname === HOST) return noAddress(HOST)
  if (syscall !== 'listen') return undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken. Set PORT to another one; PORT=0 picks a free one.`
    case 'EADDRNOTAVAIL':
      return noAddress(HOST)
    case 'EACCES':
    case 'EPERM':
      return `This user may not listen on port ${port}. Set PORT to 1024 or above.`
    default:
      return undefined
  }
}

type ListenError = NodeJS.ErrnoException & { readonly hostname?: string; readonly port?: number }

function noAddress(host: string): string {
  return `HOST=${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`
}
