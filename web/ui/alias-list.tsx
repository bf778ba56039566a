import { useState } from 'react';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-field.tsx';
import { Field } from './field.tsx';
import { ConfirmDialog, FormDialog } from './form.tsx';
import { Select } from './select.tsx';
import { Ago } from './time.tsx';

const t = m.settings.dialects;

type Program = keyof typeof t.programs;

interface Alias {
  readonly uuid: string;
  readonly dialect: Program;
  readonly token: string | null;
  readonly lastUsed: string | null;
}

const END = 4;

/** Tokens of other programs that stand for something here, with when they were used last: then old addresses can go. */
export function AliasList({
  aliases,
  programs,
  addLabel,
  add,
  remove,
}: {
  readonly aliases: readonly Alias[];
  /** Those whose tokens can be added. */
  readonly programs: readonly Program[];
  readonly addLabel: string;
  /** Absent: nothing can be changed. */
  readonly add?: (alias: { readonly dialect: Program; readonly token: string }) => Promise<unknown>;
  readonly remove?: (uuid: string) => Promise<unknown>;
}) {
  const [asked, setAsked] = useState<'add' | Alias | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <ul className="grid gap-2 empty:hidden">
        {aliases.map((alias) => (
          <li key={alias.uuid} className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 flex-1">
              <code className="block break-all">{`••••${alias.token?.slice(-END) ?? t.unreadable}`}</code>
              <span className="block text-12 text-ink-3">
                {t.programs[alias.dialect]} ·{' '}
                {alias.lastUsed === null ? (
                  t.never
                ) : (
                  <>
                    {t.used} <Ago at={alias.lastUsed} />
                  </>
                )}
              </span>
            </span>
            {alias.token !== null && <CopyButton size="small" text={alias.token} />}
            {remove !== undefined && (
              <Button kind="ghostDanger" size="small" onClick={() => setAsked(alias)}>
                {t.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {add !== undefined && programs.length > 0 && (
        <div>
          <Button size="small" onClick={() => setAsked('add')}>
            {addLabel}
          </Button>
        </div>
      )}
      {asked === 'add' && add !== undefined && (
        <FormDialog
          title={addLabel}
          action={addLabel}
          send={({ dialect, token = '' }) =>
            add({
              dialect: programs.find((one) => one === dialect) ?? programs[0] ?? 'kuma',
              token: token.trim(),
            })
          }
          onClose={close}
          className="grid gap-3.5"
        >
          {programs.length > 1 && (
            <Select
              label={t.program}
              name="dialect"
              defaultValue={programs[0]}
              options={programs.map((one) => [one, t.programs[one]])}
            />
          )}
          <Field label={t.token} hint={t.tokenHint} name="token" required autoComplete="off" />
        </FormDialog>
      )}
      {asked !== null && asked !== 'add' && remove !== undefined && (
        <ConfirmDialog title={t.removeTitle} action={t.remove} run={() => remove(asked.uuid)} onClose={close}>
          {t.removeLead}
        </ConfirmDialog>
      )}
    </>
  );
}
