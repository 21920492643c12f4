/**
 * What a provider does when the client disconnects.
 *
 * - `abort`: it stops and bills what it generated
 * - `drain`: it generates and bills the full response anyway, so its usage is awaited
 */
export type ClientGonePolicy = 'abort' | 'drain'
