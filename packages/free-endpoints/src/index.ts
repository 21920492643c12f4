export {
  type FreeEndpointsOptions,
  freeEndpoints,
  type HealthEndpointsOptions,
  healthEndpoints,
} from './free-endpoints.ts'
export { freePathMethods } from './free-path-methods.ts'
export { missingPage } from './site/missing-page.ts'
export { type SiteOptions, site } from './site/site.ts'
