import { MASK } from '../integrations/kind/setting.ts';
import type { EffectiveSetting, EnvSetting, EnvSettingTable, EnvValue } from '../lib/env-setting.ts';
import { type Environment, errorCode, show, withoutLogin } from './env-file.ts';
import { SETTINGS } from './settings.ts';

type SettingName = keyof typeof SETTINGS;
export type Read = <N extends SettingName>(name: N) => EnvValue<(typeof SETTINGS)[N]>;
export type ReadFile = (path: string) => string;

/** Every setting as it is in effect. No secret and no login within a URL is shown. */
export function effectiveSettings(env: Environment): EffectiveSetting[] {
  return Object.entries(SETTINGS as EnvSettingTable).map(([name, setting]) => {
    const isFile = setting.secret === true && (env[`${name}_FILE`]?.trim() ?? '') !== '';
    const given = isFile ? '' : givenText(setting, env[name]);
    const origin = isFile ? 'file' : given === null ? 'default' : 'environment';
    const isSecret = setting.secret === true && origin !== 'default';
    const value = isSecret ? MASK : (given ?? setting.default);
    return { name, value: value && withoutLogin(value), origin, doc: setting.doc };
  });
}

/**
 * Reads settings by name. For a faulty one it notes the fault and returns the default, so that all faults are found.
 */
export function settingsReader(env: Environment, readFile: ReadFile, faults: string[]): Read {
  return (name) => {
    const setting: EnvSetting = SETTINGS[name];
    const path = setting.secret ? (env[`${name}_FILE`]?.trim() ?? '') : '';
    const text =
      path === '' ? givenText(setting, env[name]) : readSecretFile(`${name}_FILE`, path, readFile, faults);
    let value = text === null ? undefined : setting.kind.parse(text);
    if (text !== null && value === undefined) {
      const shown = setting.secret ? ' (value hidden)' : `=${show(text)}`;
      faults.push(`${name}${shown} is not accepted: give ${setting.kind.accepts}.`);
    }
    if (value === undefined) value = setting.default === null ? null : setting.kind.parse(setting.default);
    // The compiler cannot see that `value` was parsed by the kind of this name.
    return value as EnvValue<(typeof SETTINGS)[typeof name]>;
  };
}

function givenText(setting: EnvSetting, raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const text = setting.secret ? raw : raw.trim();
  return text === '' && !setting.kind.takesEmpty ? null : text;
}

function readSecretFile(variable: string, path: string, readFile: ReadFile, faults: string[]): string | null {
  try {
    const content = readFile(path).trim();
    if (content !== '') return content;
    // Elsewhere an empty secret counts as unset. Here that would hide that the file was never filled.
    faults.push(`${variable}=${show(path)} names an empty file: write the secret into it.`);
  } catch (error) {
    faults.push(
      `${variable}=${show(path)} cannot be read (${errorCode(error)}): give the path of a readable file.`,
    );
  }
  return null;
}
