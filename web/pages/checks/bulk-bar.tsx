import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { BoardChannelJson } from '../../../src/views/board-json.ts';
import { SnoozeDialog, SnoozeMenu } from '../../acts/answers.tsx';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { ChoiceDialog } from '../alerting/choice-dialog.tsx';
import {
  addTags,
  assign,
  type BulkChange,
  CHANGES,
  moveTo,
  removeTags,
  snoozeFor,
  tellBy,
  unassign,
} from './acts.ts';
import { ChannelIcon } from './channels.tsx';

const QuietChecksDialog = lazy(() => import('../alerting/quiet-checks-dialog.tsx'));

const SMALL = 'quiet-button';

/** A project. */
interface Target {
  readonly uuid: string;
  readonly name: string;
}

/** Stands where the filters were while checks are selected. On phones it stays at the foot of the page. */
export function BulkBar({
  checks,
  hasDown,
  areSnoozed,
  total,
  isChoosing,
  project,
  channels,
  tags,
  targets,
  isBusy,
  onAct,
  onSelectAll,
  onNone,
}: {
  /** The selected ones. */
  readonly checks: readonly { readonly uuid: string; readonly name: string }[];
  /** Whether one of them is down, and nobody has it. */
  readonly hasDown: boolean;
  /** Whether one of them is snoozed already. */
  readonly areSnoozed: boolean;
  readonly total: number;
  /** Somebody has begun to select, perhaps without a check by now. */
  readonly isChoosing: boolean;
  /** The UUID of the project. Null in the list of all projects, of which each has its own ways to tell. */
  readonly project: string | null;
  readonly channels: readonly BoardChannelJson[];
  readonly tags: readonly string[];
  /** Other projects in which the person may change checks. */
  readonly targets: readonly Target[];
  readonly isBusy: boolean;
  readonly onAct: (change: BulkChange) => void;
  readonly onSelectAll: () => void;
  readonly onNone: () => void;
}) {
  const [asked, setAsked] = useState<'tag' | 'delete' | 'snooze' | 'tell' | 'quiet' | Target | null>(null);
  const count = checks.length;
  const close = () => setAsked(null);
  const act = (change: BulkChange) => {
    close();
    onAct(change);
  };
  const { bulk } = m.checks;
  const first = useRef<HTMLButtonElement>(null);
  // Whoever begins to select has pressed something that is gone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only as it appears
  useEffect(() => {
    if (count === 0) first.current?.focus();
  }, []);
  const acts = (
    <>
      {hasDown && (
        <Button size="small" isBusy={isBusy} onClick={() => onAct(CHANGES.acknowledge)}>
          {m.checkActs.menu.acknowledge}
        </Button>
      )}
      <SnoozeMenu
        className="bulk-menu"
        onSnooze={(choice) => onAct(snoozeFor(choice, areSnoozed))}
        onDate={() => setAsked('snooze')}
      />
      <Button size="small" isBusy={isBusy} onClick={() => onAct(CHANGES.pause)}>
        {m.checkActs.menu.pause}
      </Button>
      <Button size="small" isBusy={isBusy} onClick={() => onAct(CHANGES.resume)}>
        {m.checkActs.menu.resume}
      </Button>
      <Button size="small" isBusy={isBusy} onClick={() => setAsked('tag')}>
        {bulk.tag}
      </Button>
      {channels.length > 0 && (
        <Menu className="bulk-menu" button={bulk.integrations}>
          {channels.map((channel) => (
            <MenuItem
              key={channel.uuid}
              icon={<ChannelIcon channel={channel} />}
              onSelect={() => onAct(assign(channel.uuid))}
            >
              {bulk.assign(shownName(channel))}
            </MenuItem>
          ))}
          <MenuLine />
          {channels.map((channel) => (
            <MenuItem
              key={channel.uuid}
              icon={<ChannelIcon channel={channel} />}
              onSelect={() => onAct(unassign(channel.uuid))}
            >
              {bulk.unassign(shownName(channel))}
            </MenuItem>
          ))}
        </Menu>
      )}
      {project !== null && (
        <Button size="small" isBusy={isBusy} onClick={() => setAsked('tell')}>
          {m.alerts.whenToTell.title}
        </Button>
      )}
      {project !== null && (
        <Button size="small" isBusy={isBusy} onClick={() => setAsked('quiet')}>
          {bulk.quietTime}
        </Button>
      )}
      {targets.length > 0 && (
        <Menu className="bulk-menu" button={bulk.move}>
          {targets.map(({ uuid, name }) => (
            <MenuItem key={uuid} onSelect={() => setAsked({ uuid, name })}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      )}
      <Button size="small" kind="danger" isBusy={isBusy} onClick={() => setAsked('delete')}>
        {bulk.delete}
      </Button>
    </>
  );
  const dialogs = (
    <>
      {asked === 'snooze' && (
        <SnoozeDialog
          title={bulk.snooze(count)}
          first="until"
          onSnooze={(choice) => act(snoozeFor(choice, areSnoozed))}
          onClose={close}
        />
      )}
      {asked === 'tell' && project !== null && (
        <ChoiceDialog
          title={bulk.whenToTell(count)}
          project={project}
          value=""
          above={m.alerts.choice.asTagsOrProject}
          onChoose={(name) => act(tellBy(name))}
          onClose={close}
        />
      )}
      {asked === 'quiet' && project !== null && (
        <Suspense>
          <QuietChecksDialog project={project} checks={checks} onDone={onNone} onClose={close} />
        </Suspense>
      )}
      {asked === 'tag' && <TagDialog count={count} tags={tags} onClose={close} onAct={act} />}
      {asked !== null && typeof asked === 'object' && (
        <ConfirmDialog
          title={bulk.moveTitle(count, asked.name)}
          action={bulk.moveGo(count)}
          run={async () => act(moveTo(asked.uuid))}
          onClose={close}
        >
          {m.checkActs.moving.consequence}
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title={bulk.deleteTitle(count)}
          typedName={String(count)}
          action={bulk.deleteGo(count)}
          run={async () => act(CHANGES.delete)}
          onClose={close}
        >
          {bulk.deleteLead}
        </ConfirmDialog>
      )}
    </>
  );
  return (
    <div className="bulk-place">
      <p className="bulk-hint">{bulk.hint}</p>
      <div className="filters bulk-bar" role="toolbar" aria-label={bulk.label}>
        <b aria-live="polite">{bulk.selected(count)}</b>
        {count < total && (
          <button ref={first} type="button" className={SMALL} onClick={onSelectAll}>
            {bulk.selectAll(total)}
          </button>
        )}
        {count > 0 && (
          <>
            <span className="filter-line" />
            <div className="bulk-acts">{acts}</div>
          </>
        )}
        <button type="button" className={`${SMALL} ml-auto`} onClick={onNone}>
          {isChoosing ? bulk.end : bulk.none}
        </button>
        {dialogs}
      </div>
    </div>
  );
}

function TagDialog({
  count,
  tags,
  onAct,
  onClose,
}: {
  readonly count: number;
  readonly tags: readonly string[];
  readonly onAct: (change: BulkChange) => void;
  readonly onClose: () => void;
}) {
  const [tag, setTag] = useState('');
  const { bulk } = m.checks;
  const isOneWord = /^\S+$/.test(tag.trim());
  return (
    <FormDialog
      title={bulk.tagTitle(count)}
      action={bulk.tagAdd}
      refuse={null}
      other={
        <Button disabled={!isOneWord} onClick={() => onAct(removeTags(tag.trim()))}>
          {bulk.tagRemove}
        </Button>
      }
      isIncomplete={!isOneWord}
      send={async () => onAct(addTags(tag.trim()))}
      onClose={onClose}
    >
      <Field
        label={bulk.tagLabel}
        value={tag}
        autoComplete="off"
        list="known-tags"
        onChange={(event) => setTag(event.target.value)}
      />
      <datalist id="known-tags">
        {tags.map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
    </FormDialog>
  );
}
