export { type FreeEndpointsOptions, freeEndpoints } from './free-endpoints.ts'
export { freePathMethods } from './free-path-methods.ts'
export { type SiteOptions, site } from './site/site.ts'
