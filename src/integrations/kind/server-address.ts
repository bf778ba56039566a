import { type Field, refined } from '../../lib/fields.ts';
import type { Setting } from './setting.ts';
import { webUrlField } from './url-field.ts';

/** The address of a server that people run themselves. It may have a path. */
export const serverUrlField: Field<string> = refined(webUrlField, 'address of a server', (url) => {
  const { username, password, search, hash } = new URL(url);
  return username + password + search + hash === '' ? url.replace(/\/+$/, '') : null;
});

/** The address of something at the server. The server's own path stays. */
export function atServer(url: string, path: string): string {
  return `${url.replace(/\/+$/, '')}/${path}`;
}

/** A setting for the address of a server. Without a preset it is required. */
export function serverUrlSetting(help: string, preset?: string): Setting<string> {
  return {
    label: 'Server',
    help,
    field: serverUrlField,
    control: 'url',
    ...(preset !== undefined && { default: preset }),
  };
}
