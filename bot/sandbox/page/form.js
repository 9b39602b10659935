// What somebody typed or chose in one container (a message, a modal, the Home tab).
// It lives beside the drawing, so that a redraw never loses it.

const key = (blockId, actionId) => JSON.stringify([blockId, actionId]);

export class Form {
  #touched = new Map();
  #seeds = new Map();
  #kept = {};

  /** What the app put there. It counts until the person changes the field. */
  seed(blockId, actionId, entry) {
    const touched = this.#touched.get(key(blockId, actionId));
    // Another kind of field under the same ids is another field.
    if (touched && touched.entry.type !== entry.type) this.#touched.delete(key(blockId, actionId));
    const kept = this.#kept[blockId]?.[actionId];
    this.#seeds.set(key(blockId, actionId), { blockId, actionId, entry: kept?.type === entry.type ? kept : entry });
    return this.get(blockId, actionId);
  }

  get(blockId, actionId) {
    const id = key(blockId, actionId);
    return (this.#touched.get(id) ?? this.#seeds.get(id))?.entry;
  }

  set(blockId, actionId, entry) {
    this.#touched.set(key(blockId, actionId), { blockId, actionId, entry });
  }

  /**
   * Forget which fields were drawn before; what was typed stays for when they come back.
   * `kept` are the values that the server remembers, say from before a reload.
   */
  beginDrawing(kept = {}) {
    this.#seeds.clear();
    this.#kept = kept;
  }

  /** Slack's `state.values` of the fields that are drawn now. */
  state() {
    const values = {};
    for (const [id, { blockId, actionId, entry }] of this.#seeds) {
      values[blockId] ??= {};
      values[blockId][actionId] = this.#touched.get(id)?.entry ?? entry;
    }
    return values;
  }
}

const forms = new Map();

export function formOf(container) {
  if (!forms.has(container)) forms.set(container, new Form());
  return forms.get(container);
}

export const dropForm = (container) => forms.delete(container);

/** Fields whose element holds keyboard focus are found again by this after a redraw. */
export const focusKey = (blockId, element) => `${blockId}/${element.action_id ?? element.type}`;
