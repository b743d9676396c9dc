// Checks a certificate as `wbx certify --verify` does: an in-toto Statement in a DSSE envelope, signed with Ed25519 by a
// did:key. It needs WebCrypto and nothing else: no engine, no network, no library. Node can require it as well.
"use strict";

const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE = "https://workbooks.dev/attestations/earned-done/v1";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function refuse(why) {
  throw new Error(why);
}

// An object with exactly these keys. JSON.parse keeps the last of two equal keys, so what is checked is what is shown.
function exactly(object, keys, what) {
  if (object === null || typeof object !== "object" || Array.isArray(object)) refuse(what + " is no object");
  const found = Object.keys(object).sort().join(" ");
  if (found !== [...keys].sort().join(" ")) refuse(what + " has the wrong fields");
  return object;
}

// Base64 has several spellings of some bytes; only the canonical one is taken.
function bytesOf(base64) {
  if (typeof base64 !== "string") refuse("a field is not base64");
  let binary;
  try {
    binary = atob(base64);
  } catch {
    refuse("a field is not base64");
  }
  if (btoa(binary) !== base64) refuse("a field is not canonical base64");
  return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}

// did:key:z, then base58btc of 0xED 0x01 and the public key.
function keyOf(did) {
  const digits = /^did:key:z([1-9A-HJ-NP-Za-km-z]{1,47})$/.exec(did);
  if (!digits) refuse("the signer is not a did:key");
  let number = 0n;
  for (const digit of digits[1]) number = number * 58n + BigInt(BASE58.indexOf(digit));
  const hex = number.toString(16).padStart(68, "0");
  if (hex.length !== 68 || !hex.startsWith("ed01")) refuse("the signer is not an Ed25519 key");
  return Uint8Array.from(hex.slice(4).match(/../g), (byte) => parseInt(byte, 16));
}

// What DSSE signs: the type and the payload, each with its length in front.
function encoded(type, payload) {
  const head = new TextEncoder().encode(`DSSEv1 ${type.length} ${type} ${payload.length} `);
  const message = new Uint8Array(head.length + payload.length);
  message.set(head);
  message.set(payload, head.length);
  return message;
}

async function sha256(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Gives `{did, statement}`, or throws an Error that says what is wrong.
async function verify(text) {
  let envelope;
  try {
    envelope = JSON.parse(text);
  } catch {
    refuse("this is not JSON");
  }
  exactly(envelope, ["payloadType", "payload", "signatures"], "the envelope");
  if (envelope.payloadType !== PAYLOAD_TYPE) refuse("the payload is something else");
  if (!Array.isArray(envelope.signatures) || envelope.signatures.length !== 1) refuse("it needs one signature");
  const { keyid: did, sig } = exactly(envelope.signatures[0], ["keyid", "sig"], "the signature");
  const payload = bytesOf(envelope.payload);
  const key = await crypto.subtle.importKey("raw", keyOf(did), { name: "Ed25519" }, false, ["verify"]);
  const signed = await crypto.subtle.verify("Ed25519", key, bytesOf(sig), encoded(PAYLOAD_TYPE, payload));
  if (!signed) refuse("the signature does not fit: something was changed");
  const statement = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  if (statement._type !== STATEMENT_TYPE || statement.predicateType !== PREDICATE_TYPE) refuse("it states something else");
  if (statement.predicate.issuer !== did) refuse("its issuer is not who signed it");
  for (const task of statement.predicate.tasks) {
    if (task.check !== null && (await sha256(task.check.text)) !== task.check.sha256) {
      refuse("the hash of a check is not that of its text");
    }
  }
  return { did, statement };
}

function show(document, found, error) {
  const facts = document.getElementById("facts");
  facts.replaceChildren();
  const add = (name, value) => {
    const [term, description] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    description.textContent = String(value);
    facts.append(term, description);
  };
  document.getElementById("verdict").textContent = error
    ? `Do not believe it: ${error.message}.`
    : "It is what was signed. Whether to believe the signer is yours to say.";
  if (error) return;
  const { subject, predicate } = found.statement;
  add("Signer", found.did);
  add("Plan", `${subject[0].name}, SHA-256 ${subject[0].digest.sha256}`);
  add("Issued", new Date(predicate.issued).toISOString());
  for (const task of predicate.tasks) {
    const status = task.exitStatus === null ? "" : `, exit status ${task.exitStatus}`;
    add(task.id, `${task.title}: ${task.how}${status}; run ${task.ledger.run}, line ${task.ledger.line}, ${new Date(task.at).toISOString()}`);
  }
}

if (typeof module !== "undefined") {
  module.exports = { verify };
} else {
  const text = document.getElementById("text");
  const check = async () => {
    try {
      show(document, await verify(text.value), null);
    } catch (error) {
      show(document, null, error);
    }
  };
  document.getElementById("check").addEventListener("click", check);
  document.getElementById("file").addEventListener("change", async (event) => {
    text.value = await event.target.files[0].text();
    check();
  });
}
