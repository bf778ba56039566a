import { useState } from 'react';
import { m } from '../../messages/index.ts';
import { FieldError } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { NEW_REQUEST, type RequestValue } from './draft.ts';
import { headerLines, headersIn } from './header-lines.ts';
import type { SettingOfKind } from './queries.ts';
import { SecretField } from './secret-field.tsx';
import { nameOf } from './setting-props.ts';

const words = m.integrations.setUp;

const METHODS = ['GET', 'POST', 'PUT'];

/** One HTTP request: its parts, and whether it is sent at all. */
export function RequestField({
  field,
  value,
  stored,
  onValue,
}: {
  readonly field: SettingOfKind;
  readonly value: RequestValue | null;
  readonly stored: RequestValue | null;
  readonly onValue: (value: RequestValue | null) => void;
}) {
  return (
    <fieldset name={nameOf(field)} className="grid min-w-0 gap-3 rounded-card border border-line p-4">
      <legend className="sr-only">{field.label}</legend>
      <div className="flex items-center gap-3">
        <p className="flex-1 font-medium">{field.label}</p>
        {!field.isRequired && (
          <Switch
            label={words.sends(field.label)}
            isOn={value !== null}
            onChange={(isOn) => onValue(isOn ? (stored ?? NEW_REQUEST) : null)}
          />
        )}
      </div>
      <FieldError name={nameOf(field)} />
      {value !== null && <RequestParts value={value} stored={stored} field={field} onValue={onValue} />}
    </fieldset>
  );
}

function RequestParts({
  field,
  value,
  stored,
  onValue,
}: {
  readonly field: SettingOfKind;
  readonly value: RequestValue;
  readonly stored: RequestValue | null;
  readonly onValue: (value: RequestValue) => void;
}) {
  const partName = (part: string) => `${nameOf(field)}.${part}`;
  const [headers, setHeaders] = useState(() => headerLines(value.headers));
  return (
    <>
      <div className="grid grid-cols-[88px_minmax(0,1fr)] gap-3 max-md:grid-cols-1">
        <Select
          label={words.method}
          value={value.method}
          name={partName('method')}
          className="min-h-10"
          options={METHODS.map((method) => [method, method])}
          onChange={(event) => onValue({ ...value, method: event.target.value })}
        />
        <SecretField
          label={words.url}
          type="url"
          required
          stored={stored?.url ?? null}
          value={value.url}
          name={partName('url')}
          onValue={(url) => onValue({ ...value, url })}
        />
      </div>
      <TextArea
        label={words.headers}
        rows={2}
        spellCheck={false}
        className="font-mono"
        hint={stored === null ? words.headersHint : words.headersStored}
        value={headers}
        name={partName('headers')}
        onChange={(event) => {
          setHeaders(event.target.value);
          onValue({ ...value, headers: headersIn(event.target.value) });
        }}
      />
      {value.method !== 'GET' && (
        <TextArea
          label={words.body}
          rows={4}
          spellCheck={false}
          className="font-mono"
          hint={field.help}
          value={value.body}
          name={partName('body')}
          onChange={(event) => onValue({ ...value, body: event.target.value })}
        />
      )}
    </>
  );
}
