import { httpSettings, telemetrySettings } from '@farebox/http/settings'
import { integer, type SettingTable, type SettingValues, setting } from '@farebox/settings'
import { storefrontSettings } from '@farebox/storefront/settings'
import { z } from 'zod'

/** Every environment variable that the estimator reads. `--help` is printed from this table. */
export const settings = {
  ...httpSettings,
  ...storefrontSettings,
  PORT: setting(
    integer(0, 65_535).default(4021),
    '4021',
    'port to listen on; 0 picks a free one, which is logged',
  ),
  DATA_DIR: setting(
    z.string().min(1).optional(),
    'none',
    'folder where refreshed prices are kept across restarts',
  ),
  ...telemetrySettings,
} as const satisfies SettingTable

export type Config = SettingValues<typeof settings>
