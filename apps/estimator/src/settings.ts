import {
  freeSettings,
  type SettingTable,
  type SettingValues,
  setting,
  whole,
} from '@farebox/free-endpoints/settings'
import { z } from 'zod'

/** Every environment variable that the estimator reads. `--help` is printed from this table. */
export const settings = {
  ...freeSettings,
  PORT: setting(
    whole(0, 65_535).default(4021),
    '4021',
    'listen port; 0 takes a free one and the log says which',
  ),
  DATA_DIR: setting(
    z.string().min(1).optional(),
    'none',
    'where refreshed prices outlive a restart',
  ),
} as const satisfies SettingTable

export type Config = SettingValues<typeof settings>
