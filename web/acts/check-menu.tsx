import { useQuery } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { act } from '../app/act.ts';
import { ApiError } from '../app/api.ts';
import { type Answer, query } from '../app/read.ts';
import { m } from '../messages/index.ts';
import { ConfirmDialog, FormDialog, Submit } from '../ui/form.tsx';
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx';
import { Select } from '../ui/select.tsx';
import { Ago } from '../ui/time.tsx';
import { tell, tellWithUndo } from '../ui/toasts.tsx';
import { attempt } from './attempt.ts';
import { pauseCheck, resumeCheck } from './pause.ts';
import { restoreCheck } from './restore.ts';

interface ActedCheck {
  /** Its UUID, known only to people who may change it. */
  readonly uuid: string;
  readonly name: string;
  /** The UUID of its project. */
  readonly project: string;
}

/** A question before an act. For a check that was pinged lately, the server wants its name before it deletes it. */
type Asked =
  | { readonly act: 'remove'; readonly typedName: string; readonly lastPing: string | null }
  | { readonly act: 'clear' | 'replace' | 'move' };

const t = m.checkActs;

/** The menu of a check, with the dialogs of acts that ask first. For people who may change it. */
export function CheckMenu({
  check,
  isPaused,
  className,
  onGone,
  onBack,
  onReplaced,
  children,
}: {
  readonly check: ActedCheck;
  readonly isPaused: boolean;
  readonly className: string;
  /** The check is no longer in its project. */
  readonly onGone: () => void;
  /** A deleted check is back. */
  readonly onBack?: () => void;
  /** The check has another UUID. */
  readonly onReplaced: (uuid: string) => void;
  /** The first items. */
  readonly children?: ReactNode;
}) {
  const { uuid, name } = check;
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const ends = { done: close, onClose: close };

  const copy = () =>
    attempt(t.couldNot.copy(name), async () => {
      const made = await act.copyCheck({ check: uuid });
      tell(t.copied(made.name));
    });
  const deleteNow = async (typed: { readonly typedName?: string }) => {
    await act.deleteCheck({ check: uuid, ...typed });
    tellWithUndo(t.deleted(name), () => void restoreCheck(check, onBack));
    onGone();
  };
  const remove = () =>
    attempt(t.couldNot.remove(name), async () => {
      try {
        await deleteNow({});
      } catch (failure) {
        if (!(failure instanceof ApiError) || failure.code !== 'name_required') throw failure;
        const { name: typedName, lastPing } = failure.answer;
        setAsked({
          ...{ act: 'remove', typedName: String(typedName) },
          lastPing: typeof lastPing === 'string' ? lastPing : null,
        });
      }
    });
  const clear = async () => {
    await act.clearCheck({ check: uuid });
    tell(t.cleared(name));
  };
  const replace = async () => {
    const replaced = await act.replaceAddress({ check: uuid });
    tell(t.replaced(name));
    onReplaced(replaced.uuid);
  };
  const decision = (words: typeof t.clearing | typeof t.replacing, run: () => Promise<void>) => (
    <ConfirmDialog
      {...ends}
      title={words.title(name)}
      action={words.action}
      refuse={m.controls.cancel}
      run={run}
    >
      {words.consequence}
    </ConfirmDialog>
  );

  return (
    <>
      <Menu label={t.menu.more} button={<Ellipsis className="size-4" />} className={className}>
        {children}
        {isPaused ? (
          <MenuItem onSelect={() => void resumeCheck({ ref: uuid, name })}>{t.menu.resume}</MenuItem>
        ) : (
          <MenuItem onSelect={() => void pauseCheck({ ref: uuid, name })}>{t.menu.pause}</MenuItem>
        )}
        <MenuItem onSelect={() => void copy()}>{t.menu.copy}</MenuItem>
        <MenuItem onSelect={() => setAsked({ act: 'move' })}>{t.menu.move}</MenuItem>
        <MenuItem onSelect={() => setAsked({ act: 'replace' })}>{t.menu.replace}</MenuItem>
        <MenuLine />
        <MenuItem isDangerous onSelect={() => setAsked({ act: 'clear' })}>
          {t.menu.clear}
        </MenuItem>
        <MenuItem isDangerous onSelect={() => void remove()}>
          {t.menu.remove}
        </MenuItem>
      </Menu>
      {asked?.act === 'remove' && (
        <ConfirmDialog
          {...ends}
          title={t.deletion.title(name)}
          typedName={asked.typedName}
          action={t.deletion.action}
          run={() => deleteNow({ typedName: asked.typedName })}
        >
          {asked.lastPing !== null && (
            <>
              {t.deletion.lastPing} <Ago at={asked.lastPing} />.{' '}
            </>
          )}
          {t.deletion.consequence}
        </ConfirmDialog>
      )}
      {asked?.act === 'clear' && decision(t.clearing, clear)}
      {asked?.act === 'replace' && decision(t.replacing, replace)}
      {asked?.act === 'move' && <MoveDialog {...ends} check={check} onMoved={onGone} />}
    </>
  );
}

function MoveDialog({
  check: { uuid, name, project },
  onMoved,
  ...ends
}: {
  readonly check: ActedCheck;
  readonly onMoved: () => void;
  readonly done: () => void;
  readonly onClose: () => void;
}) {
  const words = t.moving;
  const { data } = useQuery(query.moveTargets({ project }));
  const projects = data ?? [];
  const free = projects.filter((project) => !project.isCurrent && !project.isFull);
  const [chosen, setChosen] = useState<string | null>(null);
  const target = projects.find((one) => one.uuid === (chosen ?? free[0]?.uuid));
  const labelOf = (one: Answer<'moveTargets'>[number]) =>
    one.isCurrent ? words.current(one.name) : one.isFull ? words.full(one.name) : one.name;
  const send = async ({ verb }: { readonly verb?: string }) => {
    if (target === undefined) return;
    const given = { check: uuid, target: target.uuid };
    if (verb === 'copy') {
      await act.copyCheck(given);
      tell(t.copiedTo(name, target.name));
    } else {
      await act.moveCheck(given);
      tell(t.moved(name, target.name));
      onMoved();
    }
  };
  return (
    <FormDialog
      {...ends}
      title={words.title(name)}
      action={words.move}
      other={
        <Submit kind="plain" name="verb" value="copy" disabled={target === undefined}>
          {words.copy}
        </Submit>
      }
      isIncomplete={target === undefined}
      send={send}
    >
      {data !== undefined && free.length === 0 ? (
        <p className="text-13 text-ink-2">{words.none}</p>
      ) : (
        <Select
          label={words.project}
          value={target?.uuid ?? ''}
          onChange={(event) => setChosen(event.target.value)}
        >
          {projects.map((project) => (
            <option key={project.uuid} value={project.uuid} disabled={project.isCurrent || project.isFull}>
              {labelOf(project)}
            </option>
          ))}
        </Select>
      )}
      <p className="text-13 text-ink-2">{words.consequence}</p>
    </FormDialog>
  );
}
