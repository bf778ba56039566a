import { type FormEvent, useState } from 'react';
import type { BoardChannelJson } from '../../../src/wire/dashboard/check-board-output.ts';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Question } from '../../ui/question.tsx';
import { TypedNameDialog } from '../../ui/typed-name-dialog.tsx';
import { addTags, assign, type BulkChange, CHANGES, moveTo, removeTags, unassign } from './acts.ts';
import { ChannelIcon } from './channels.tsx';

const SMALL = 'quiet-button';

/** A project. */
interface Target {
  readonly uuid: string;
  readonly name: string;
}

/** Stands where the filters were while checks are selected. */
export function BulkBar({
  count,
  total,
  channels,
  tags,
  targets,
  isBusy,
  onAct,
  onSelectAll,
  onNone,
}: {
  readonly count: number;
  readonly total: number;
  readonly channels: readonly BoardChannelJson[];
  readonly tags: readonly string[];
  /** Other projects in which the person may change checks. */
  readonly targets: readonly Target[];
  readonly isBusy: boolean;
  readonly onAct: (change: BulkChange) => void;
  readonly onSelectAll: () => void;
  readonly onNone: () => void;
}) {
  const [asked, setAsked] = useState<'tag' | 'delete' | Target | null>(null);
  const close = () => setAsked(null);
  const act = (change: BulkChange) => {
    close();
    onAct(change);
  };
  const { bulk } = m.checks;
  return (
    <div className="filters bulk-bar" role="toolbar" aria-label={bulk.label}>
      <b aria-live="polite">{bulk.selected(count)}</b>
      {count < total && (
        <button type="button" className={SMALL} onClick={onSelectAll}>
          {bulk.selectAll(total)}
        </button>
      )}
      <span className="filter-line" />
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
      <button type="button" className={`${SMALL} ml-auto`} onClick={onNone}>
        {bulk.none}
      </button>
      {asked === 'tag' && <TagDialog count={count} tags={tags} onClose={close} onAct={act} />}
      {asked !== null && typeof asked === 'object' && (
        <Question
          title={bulk.moveTitle(count, asked.name)}
          action={bulk.moveGo(count)}
          error={null}
          isBusy={isBusy}
          onClose={close}
          onConfirm={() => act(moveTo(asked.uuid))}
        >
          {m.checkActs.moving.consequence}
        </Question>
      )}
      {asked === 'delete' && (
        <TypedNameDialog
          title={bulk.deleteTitle(count)}
          name={String(count)}
          action={bulk.deleteGo(count)}
          error={null}
          isBusy={isBusy}
          onClose={close}
          onConfirm={() => act(CHANGES.delete)}
        >
          {bulk.deleteLead}
        </TypedNameDialog>
      )}
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isOneWord) onAct(addTags(tag.trim()));
  };
  return (
    <Dialog title={bulk.tagTitle(count)} onClose={onClose}>
      <form className="grid gap-3" onSubmit={submit}>
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
        <DialogActions>
          <Button disabled={!isOneWord} onClick={() => onAct(removeTags(tag.trim()))}>
            {bulk.tagRemove}
          </Button>
          <Button kind="primary" type="submit" disabled={!isOneWord}>
            {bulk.tagAdd}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
