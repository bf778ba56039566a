import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ActAnswer, act } from '../../app/act.ts';
import { now } from '../../app/clock.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import { type Level, scopesOf } from './token-levels.ts';

const t = m.account.tokens;

type Scope = Answer<'accountTokens'>['scopes'][number];

const DAY_MS = 86_400_000;

export function NewTokenDialog({
  scopes,
  onMade,
  onClose,
}: {
  /** All that a token can have. */
  readonly scopes: readonly Scope[];
  readonly onMade: (made: ActAnswer<'createToken'>) => void;
  readonly onClose: () => void;
}) {
  const { data: list } = useSuspenseQuery(query.ownProjects());
  const [level, setLevel] = useState<Level>('read');
  const [chosen, setChosen] = useState<readonly Scope[]>(scopesOf('read', scopes));
  const toggle = (scope: Scope) =>
    setChosen((before) =>
      before.includes(scope) ? before.filter((one) => one !== scope) : [...before, scope],
    );
  const create = ({ name = '', target = '', days = '0' }) =>
    act.createToken({
      name,
      scopes: level === 'custom' ? chosen : scopesOf(level, scopes),
      projects: target === '' ? null : [target],
      expires: days === '0' ? null : new Date(now() + Number(days) * DAY_MS).toISOString(),
    });
  return (
    <FormDialog
      title={t.add}
      action={t.create}
      className="grid gap-3.5"
      send={create}
      done={onMade}
      noValidate
      onClose={onClose}
    >
      <Field label={t.name} name="name" hint={t.nameHint} />
      <div className="grid gap-1.5">
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
        <fieldset className="grid max-h-[200px] gap-1.5 overflow-y-auto rounded-control border border-line p-3">
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
      <Select
        label={t.projects}
        name="target"
        options={[['', t.all], ...list.projects.map(({ uuid, name }) => [uuid, name] as const)]}
      />
      <Select label={t.expires} name="days" defaultValue="90" options={Object.entries(t.spans)} />
    </FormDialog>
  );
}
