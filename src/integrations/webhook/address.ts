import { Fault } from '../../lib/fields.ts';
import { PLACEHOLDER } from '../kind/url-field.ts';
import { fill, type Table } from '../text/fill.ts';

/** The parts of an address as a URL parser finds them (https://url.spec.whatwg.org/#url-parsing): it skips backslashes, too. */
const PARTS = /^(https?:[/\\]*)((?:[^/\\?#]*@)?)([^/\\?#]*)(.*)$/is;

/** RFC 1035, section 2.3.4. */
const MAX_LABEL = 63;

/**
 * The address with its placeholders filled in. Somebody who names checks must not choose the host that gets the secrets
 * of the request. So a placeholder in the host is one label of it, or the address is a fault.
 */
export function filledAddress(template: string, table: Table): string | Fault {
  const early = placeholderBeforeHost(template);
  if (early !== null)
    return new Fault(
      `The address of the webhook has ${early} before its host. Only the host, the path and the query may have placeholders.`,
    );
  const [, start = '', user = '', host = '', rest = ''] = PARTS.exec(template) ?? [];
  const filled = filledHost(host, table);
  return filled instanceof Fault ? filled : `${start}${user}${filled}${fill(rest, table, 'url')}`;
}

/** The first placeholder in the user or the password of the address. Null if there is none. */
export function placeholderBeforeHost(template: string): string | null {
  const [, , user = ''] = PARTS.exec(template) ?? [];
  return PLACEHOLDER.exec(user)?.[0] ?? null;
}

function filledHost(template: string, table: Table): string | Fault {
  const named = PLACEHOLDER.exec(template)?.[0];
  if (named === undefined) return template;
  const filled = fill(template, labelsOf(table), 'url');
  const [host = ''] = filled.split(':');
  const isTooLong = host.split('.').some((label) => label.length > MAX_LABEL);
  const unfilled = PLACEHOLDER.exec(filled)?.[0] ?? (isTooLong ? named : null);
  return unfilled === null
    ? filled
    : new Fault(
        `The address of the webhook has ${unfilled} in its host. It must stand for letters, digits and hyphens, 1 to ${MAX_LABEL} of them.`,
      );
}

/** Keeps a placeholder whose value is not a label as it is written. */
function labelsOf(table: Table): Table {
  const labels = Object.entries(table).map(([name, value]) => [
    name,
    (mode: Parameters<typeof value>[0]) => {
      const label = value(mode);
      return label !== null && /^[A-Za-z0-9-]+$/.test(label) ? label : null;
    },
  ]);
  return Object.fromEntries(labels);
}
