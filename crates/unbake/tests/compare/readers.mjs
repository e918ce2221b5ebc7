// The real readers: one JSON document a line in, what each of them sees a line out.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { body } = JSON.parse(line);
  const bytes = Buffer.from(body, "base64");
  const out = {
    TextDecoder: { text: new TextDecoder().decode(bytes) },
    fetch: { text: await new Response(bytes).text() },
  };
  const text = bytes.toString("utf8");
  try {
    // What comes after the first character is not of interest: a mark alone is.
    if (text.startsWith("\uFEFF")) JSON.parse(text);
    out.JSON = { text };
  } catch (error) {
    out.JSON = { error: error.name };
  }
  console.log(JSON.stringify(out));
}
