import { MAX_TAGS, splitTags } from '../../domain/check/tags.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import type { ShellCommand } from '../../lib/shell-thread.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { buttonAddress } from '../text/button-links.ts';

/**
 * The command with its values. A value never becomes part of the command: it is in a variable of the environment, and the
 * command names the variable. So nothing that somebody calls a check can be run.
 */
export function shellCommand(template: string, event: AlertEvent): ShellCommand {
  const { values, secrets } = valuesOf(event);
  const named = Object.entries(secrets).filter(([name]) => new RegExp(`\\b${name}\\b`).test(template));
  const variables = { ...Object.fromEntries(named), ...values };
  return { command: quotedNames(template, Object.keys(variables)), variables };
}

interface Variables {
  readonly values: Readonly<Record<string, string>>;
  /** With the UUID its reader can ping, and with an address of a button act. Commands get only those that they name. */
  readonly secrets: Readonly<Record<string, string>>;
}

function valuesOf(event: AlertEvent): Variables {
  const { check } = event;
  const tags = splitTags(check.tags)
    .slice(0, MAX_TAGS)
    .map((tag, index) => [`TAG${index + 1}`, storable(tag)] as const);
  return {
    values: {
      STATUS: event.to,
      NOW: toIsoSeconds(event.at),
      NAME: storable(check.name),
      TAGS: storable(check.tags),
      ...Object.fromEntries(tags),
    },
    secrets: {
      CODE: check.uuid,
      ACK_URL: buttonAddress(event, 'acknowledge'),
      SNOOZE_URL: buttonAddress(event, 'snooze'),
    },
  };
}

/** A variable cannot contain NUL. */
function storable(value: string): string {
  return value.replaceAll('\0', '\u{fffd}');
}

/**
 * Puts the names of our variables into double quotes, so that the shell takes each value as one word. Where the command
 * has single quotes around a name, they are closed and opened again. If this is mistaken, for example about quotes in a
 * comment, a value may be divided into words, but it is still no command.
 */
function quotedNames(template: string, names: readonly string[]): string {
  const longestFirst = names.toSorted((one, two) => two.length - one.length);
  const name = longestFirst.map((one) => `${one}${/\d$/.test(one) ? '(?!\\d)' : '(?!\\w)'}`).join('|');
  const pattern = new RegExp(`\\\\[\\s\\S]|['"]|\\$(?:(${name})|\\{(${name})\\})`, 'g');
  let quote = '';
  return template.replace(pattern, (written: string, bare?: string, braced?: string) => {
    const variable = bare ?? braced;
    if (variable !== undefined) {
      const value = `\${${variable}}`;
      return { '': `"${value}"`, '"': value, "'": `'"${value}"'` }[quote] ?? value;
    }
    if (written.startsWith('\\')) return quote === "'" ? reread(written) : written;
    if (quote === '') quote = written;
    else if (quote === written) quote = '';
    return written;
  });

  /** In single quotes a backslash is a sign like any other, and the next sign may end them. */
  function reread(written: string): string {
    if (written.endsWith("'")) quote = '';
    return written;
  }
}
