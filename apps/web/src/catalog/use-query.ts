import { useLocation } from 'preact-iso'

export type Query = {
  readonly get: (name: string) => string
  readonly set: (name: string, value: string) => void
}

/** The choices of a catalog, kept in the address so that it can be shared and returned to. */
export function useQuery(): Query {
  const { path, query, route } = useLocation()
  return {
    get: (name) => query[name] ?? '',
    set: (name, value) => {
      const next = new URLSearchParams(query)
      if (value === '') next.delete(name)
      else next.set(name, value)
      const search = next.toString()
      route(search === '' ? path : `${path}?${search}`, true)
    },
  }
}
