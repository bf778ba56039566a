import { type FormEvent, useState } from 'react';
import type { BoardChannelJson } from '../../../src/wire/dashboard/check-board-output.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { TypedNameDialog } from '../../ui/typed-name-dialog.tsx';
import type { BulkChange } from './acts.ts';
import { ChannelIcon, nameOf } from './channels.tsx';

const SMALL = 'quiet-button';

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
  readonly targets: readonly { readonly uuid: string; readonly name: string }[];
  readonly isBusy: boolean;
  readonly onAct: (change: BulkChange) => void;
  readonly onSelectAll: () => void;
  readonly onNone: () => void;
}) {
  const [asked, setAsked] = useState<'tag' | 'delete' | null>(null);
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
      <Button size="small" isBusy={isBusy} onClick={() => onAct({ verb: 'pause' })}>
        {bulk.pause}
      </Button>
      <Button size="small" isBusy={isBusy} onClick={() => onAct({ verb: 'resume' })}>
        {bulk.resume}
      </Button>
      <Button size="small" isBusy={isBusy} onClick={() => setAsked('tag')}>
        {bulk.tag}
      </Button>
      {channels.length > 0 && (
        <Menu className="bulk-menu" button={bulk.integrations}>
          {channels.map((channel) => (
            <MenuItem
              key={channel.uuid}
              icon={<ChannelIcon kind={channel.kind} />}
              onSelect={() => onAct({ verb: 'adjust', add_channels: [channel.uuid] })}
            >
              {bulk.assign(nameOf(channel))}
            </MenuItem>
          ))}
          <MenuLine />
          {channels.map((channel) => (
            <MenuItem
              key={channel.uuid}
              icon={<ChannelIcon kind={channel.kind} />}
              onSelect={() => onAct({ verb: 'adjust', remove_channels: [channel.uuid] })}
            >
              {bulk.unassign(nameOf(channel))}
            </MenuItem>
          ))}
        </Menu>
      )}
      {targets.length > 0 && (
        <Menu className="bulk-menu" button={bulk.move}>
          {targets.map(({ uuid, name }) => (
            <MenuItem key={uuid} onSelect={() => onAct({ verb: 'move', project: uuid })}>
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
      {asked === 'delete' && (
        <TypedNameDialog
          title={bulk.deleteTitle(count)}
          name={String(count)}
          action={bulk.deleteGo(count)}
          error={null}
          isBusy={isBusy}
          onClose={close}
          onConfirm={() => act({ verb: 'delete' })}
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
    if (isOneWord) onAct({ verb: 'adjust', add_tags: tag.trim() });
  };
  return (
    <Dialog title={bulk.tagTitle(count)} onClose={onClose}>
      <form className="grid gap-6" onSubmit={submit}>
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
          <Button disabled={!isOneWord} onClick={() => onAct({ verb: 'adjust', remove_tags: tag.trim() })}>
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
