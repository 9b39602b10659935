// The person's side of the sandbox over HTTP. Every answer is {ok, …}; a server that is away is an Offline error.

export class Offline extends Error {}

async function ask(path, init) {
  let answer;
  try {
    answer = await fetch(path, init);
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Offline("The sandbox does not answer.");
  }
  if (answer.status === 204) return null;
  const body = await answer.json().catch((problem) => {
    if (problem.name === "AbortError") throw problem;
    return null;
  });
  if (answer.status >= 500 || (answer.ok && body === null)) throw new Offline(`The sandbox answered with ${answer.status}.`);
  return body ?? { ok: false, error: `The sandbox answered with ${answer.status}.` };
}

export const boot = () => ask("/client/boot");

export const state = (as, after, signal) =>
  ask(`/client/state?as=${encodeURIComponent(as)}&after=${after}`, { signal });

/** say, act, shortcut, submit, close, open_home, open_im. */
export const post = (name, body) =>
  ask(`/client/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** The sentence that an answer other than ok carries. */
export const sentence = (answer) => answer?.warning || answer?.error || "That did not work.";
