import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeTokenJson } from '../../../src/wire/dashboard/token-output.ts';
import { post } from '../../app/api.ts';
import { now } from '../../app/clock.ts';
import { query } from '../../app/read.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import { tokensQuery } from './queries.ts';
import { type Level, scopesOf } from './token-levels.ts';

const t = m.account.tokens;

const DAY_MS = 86_400_000;
const SPANS = Object.entries(t.spans);

export function NewTokenDialog({
  scopes,
  onMade,
  onClose,
}: {
  /** All that a token can have. */
  readonly scopes: readonly string[];
  readonly onMade: (made: MadeTokenJson) => void;
  readonly onClose: () => void;
}) {
  const { data: list } = useSuspenseQuery(query.ownProjects());
  const queries = useQueryClient();
  const [level, setLevel] = useState<Level>('read');
  const [chosen, setChosen] = useState<readonly string[]>(scopesOf('read', scopes));
  const form = useForm(
    ({ name = '', project = '', days = '0' }) =>
      post<MadeTokenJson>('/account/tokens', {
        name,
        scopes: level === 'custom' ? chosen : scopesOf(level, scopes),
        projects: project === '' ? null : [project],
        expires: days === '0' ? null : new Date(now() + Number(days) * DAY_MS).toISOString(),
      }),
    (made) => {
      void queries.invalidateQueries(tokensQuery);
      onMade(made);
      onClose();
    },
  );
  const toggle = (scope: string) =>
    setChosen((before) =>
      before.includes(scope) ? before.filter((one) => one !== scope) : [...before, scope],
    );
  const error = form.otherError('name', 'expires');
  return (
    <Dialog title={t.add} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit} noValidate>
        <Field label={t.name} name="name" hint={t.nameHint} autoFocus error={form.errorOf('name')} />
        <div className="grid gap-3">
          <p className="font-medium">{t.level}</p>
          <Segments
            label={t.level}
            value={level}
            choices={(['read', 'write', 'custom'] as const).map((value) => ({
              value,
              label: t.levels[value],
            }))}
            onChange={setLevel}
          />
        </div>
        {level === 'custom' && (
          <fieldset className="grid max-h-[200px] gap-3 overflow-y-auto rounded-control border border-line p-6">
            <legend className="sr-only">{t.permissions}</legend>
            {scopes.map((scope) => (
              <Checkbox
                key={scope}
                label={<code className="text-12">{scope}</code>}
                checked={chosen.includes(scope)}
                onChange={() => toggle(scope)}
              />
            ))}
          </fieldset>
        )}
        <Select label={t.projects} name="project">
          <option value="">{t.all}</option>
          {list.projects.map(({ uuid, name }) => (
            <option key={uuid} value={uuid}>
              {name}
            </option>
          ))}
        </Select>
        <Select label={t.expires} name="days" defaultValue="90" error={form.errorOf('expires')}>
          {SPANS.map(([days, label]) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
        </Select>
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {t.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
