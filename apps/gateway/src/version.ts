import manifest from '../package.json' with { type: 'json' }

/** The version of the gateway's package. */
export const version: string = manifest.version
