/**
 * What a provider does when its client is gone.
 *
 * - `abort`: it stops and bills what it made
 * - `drain`: it bills the whole answer anyway, so its usage is awaited
 * - `free`: it stops and bills nothing
 */
export type ClientGonePolicy = 'abort' | 'drain' | 'free'
