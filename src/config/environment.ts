import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { MASK } from '../integrations/kind/setting.ts';
import type { EffectiveSetting, EnvSetting, EnvSettingTable, EnvValue } from '../lib/env-setting.ts';
import { SETTINGS } from './settings.ts';

export type Environment = Record<string, string | undefined>;

/** Names every fault of the configuration, one in each line. No line holds a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

type SettingName = keyof typeof SETTINGS;
export type Read = <N extends SettingName>(name: N) => EnvValue<(typeof SETTINGS)[N]>;
export type ReadFile = (path: string) => string;

/** Merges the `.env` file of a directory, if there is one, with the given environment, which wins. */
export function loadEnvironment(directory: string, processEnv: Environment): Environment {
  const path = join(directory, '.env');
  let content = '';
  try {
    content = readText(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') {
      throw new ConfigError([
        `${show(path)} cannot be read (${errorCode(error)}): make it readable or remove it.`,
      ]);
    }
  }
  // Trimmed because a byte order mark would become part of the first name.
  const merged: Environment = { ...parseEnv(content.trim()) };
  for (const [name, value] of Object.entries(processEnv)) {
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

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

function withoutLogin(text: string): string {
  return text.replace(/:\/\/.*@/s, '://***@');
}

/** Quotes the text on one line, and leaves out a login inside a URL. */
function show(text: string): string {
  const plain = withoutLogin(text);
  return JSON.stringify(plain.length > 200 ? `${plain.slice(0, 200)}…` : plain);
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
