import {
  freeSettings,
  type SettingTable,
  type SettingValues,
  setting,
  whole,
} from '@farebox/free-endpoints/settings'

/** Every environment variable that the estimator reads. `--help` is printed from this table. */
export const settings = {
  ...freeSettings,
  PORT: setting(
    whole(0, 65_535).default(4021),
    '4021',
    'listen port; 0 takes a free one and the log says which',
  ),
} as const satisfies SettingTable

export type Config = SettingValues<typeof settings>
